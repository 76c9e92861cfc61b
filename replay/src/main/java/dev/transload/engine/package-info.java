/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */

/**
 * Worlds of engines on the stepping transport, driven by one thread, held to the reference. Uses the engine,
 * recordings, the kit and its reference.
 */
package dev.transload.engine;
