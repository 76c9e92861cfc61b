/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
/**
 * Where the rows of one dispatch go and came from: tables of the source rank, the forwarder and the expert's rank.
 * They are plain arrays that grow to the largest call and are reused; a cached dispatch and combine only read them.
 * The package uses sizes and the public records of the engine; nothing of transports, rings, calls or roles.
 */
package dev.transload.engine.plan;
