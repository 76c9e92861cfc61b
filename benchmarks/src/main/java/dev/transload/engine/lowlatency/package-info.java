/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
/** Benchmarks of parts of the low-latency engine that no user calls. They lie in its package to reach these. */
package dev.transload.engine.lowlatency;
