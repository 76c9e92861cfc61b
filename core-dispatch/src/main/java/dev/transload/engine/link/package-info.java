/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
/**
 * One rank's ties to its peers: channels with what they import, chunks on their way into a peer's ring, and credit.
 * Everything here is confined to the engine thread that made it, allocates nothing and never blocks.
 * The package knows the Transport SPI and the memory map; nothing of routing or of calls.
 */
package dev.transload.engine.link;
