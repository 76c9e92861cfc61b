/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
/**
 * Who is where in the world, which rank relays which rows, and the sizes that follow from the settings.
 * All of it is equal on all ranks but for the own place. The package uses the public records of the engine only.
 */
package dev.transload.engine.internal.world;
