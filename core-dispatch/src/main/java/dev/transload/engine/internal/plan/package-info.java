/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
/**
 * Where the rows of one dispatch go and came from: layouts and tables of the source, the relay and the expert's rank.
 * They grow to the largest call and are reused; cached dispatches and combines read them, but for the combine table.
 * The package uses sizes, metadata blocks, row tables and public records; nothing of rings, connections or roles.
 */
package dev.transload.engine.internal.plan;
