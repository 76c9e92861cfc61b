/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
/**
 * From HOCON to validated settings: reading, refusing what is unknown or not allowed, tuning what is left automatic.
 * Everything else in the engine sees only {@link dev.transload.engine.EngineConfig}.
 * The package knows the configuration library; no other package of the engine does.
 */
package dev.transload.engine.config;
