/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */

/** The command {@code replay}: recorded worlds on the stepping transport. */
package dev.transload.cli.replay;
