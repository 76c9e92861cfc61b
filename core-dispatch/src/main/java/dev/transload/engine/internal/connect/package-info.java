/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
/**
 * What ties a rank to its peers, in both modes: open transports and the engines that share them, the exchange when an
 * engine opens, connections, memory that peers write to, and imported peer memory.
 * Offsets are the same function of the settings on every rank, so that a rank knows where to write at its peers.
 * The package uses the Transport SPI, message layouts, sizes, counters and cores; nothing of rings, plans or roles.
 */
package dev.transload.engine.internal.connect;
