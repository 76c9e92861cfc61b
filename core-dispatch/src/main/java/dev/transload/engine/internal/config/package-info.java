/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
/**
 * From HOCON to validated settings: reading, refusing what is unknown or not allowed, tuning what is left automatic.
 * Everything else in the engine sees only {@link dev.transload.engine.EngineConfig}.
 * The package uses the configuration library, sizes and message layouts; no package uses it but the two modes' entries.
 */
package dev.transload.engine.internal.config;
