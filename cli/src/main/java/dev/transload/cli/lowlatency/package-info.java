/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
/**
 * The low-latency mode of {@code run}: an input cut into calls, each call's dispatch and combine, what the arithmetic
 * of the design says that a rank must get, how the two are compared, and the rank's file.
 * The expectation is worked out from the routing alone, by code that shares nothing with the engine.
 * The package knows inputs, the engine's low-latency mode, and what ranks of both modes have in common.
 */
package dev.transload.cli.lowlatency;
