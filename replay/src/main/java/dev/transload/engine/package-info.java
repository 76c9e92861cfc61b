/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */

/**
 * Worlds of engines on the stepping transport, driven by one thread and compared with the reference.
 * The package uses the engine, recordings, the conformance kit and its reference.
 */
package dev.transload.engine;
