/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */

/** Loads native libraries that are in the jars of transports and row kernels. */
package dev.transload.natives;
