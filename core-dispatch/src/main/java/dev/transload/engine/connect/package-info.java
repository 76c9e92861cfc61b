/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
/**
 * What ties a rank to its peers: open transports, connections, memory that peers write to, and imported peer memory.
 * Offsets are the same function of the settings on every rank, so that a rank knows where to write at its peers.
 * The package uses the Transport SPI, message layouts, sizes and counters; nothing of rings, plans, calls or roles.
 */
package dev.transload.engine.connect;
