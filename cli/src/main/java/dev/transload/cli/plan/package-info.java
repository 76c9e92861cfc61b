/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
/** The command {@code plan}: what a world would move and take, without running it. */
package dev.transload.cli.plan;
