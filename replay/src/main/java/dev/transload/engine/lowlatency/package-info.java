/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */

/**
 * Worlds of low-latency engines on the stepping transport, driven by one thread.
 * The package uses the engine, recordings, the conformance kit and its reference.
 */
package dev.transload.engine.lowlatency;
