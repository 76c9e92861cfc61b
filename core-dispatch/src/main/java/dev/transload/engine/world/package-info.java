/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
/**
 * Who is where in the world, and which rank relays which rows. The package knows nothing else of the engine.
 */
package dev.transload.engine.world;
