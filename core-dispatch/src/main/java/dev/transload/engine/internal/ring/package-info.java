/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
/**
 * Both ends of a ring, the puts that fill it, credit on its way back, and messages with a signal behind them.
 * Everything here belongs to the engine thread that made it, allocates nothing and never blocks.
 * The package uses connections and what lies below them; nothing of plans, calls or roles.
 */
package dev.transload.engine.internal.ring;
