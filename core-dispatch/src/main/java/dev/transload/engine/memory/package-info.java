/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
/**
 * Where the engine's bytes are: stages and their transports, arenas, and the sections which rings and messages occupy.
 * Offsets are the same function of the settings on every rank, so that a rank knows where to write at its peers.
 * The package knows the Transport SPI and the settings; nothing of calls or roles.
 */
package dev.transload.engine.memory;
