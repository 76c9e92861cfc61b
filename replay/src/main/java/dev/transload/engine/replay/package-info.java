/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */

/** Runs recorded worlds on the stepping transport. The package uses recordings and the worlds of both modes. */
package dev.transload.engine.replay;
