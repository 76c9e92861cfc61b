/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
/**
 * How an engine is put together: what is constructed from what, what ranks tell each other at the start, and which
 * thread runs what. Everything is made here once and handed to constructors; nothing else looks anything up.
 * The package knows all others of the engine; none of them knows it, but for the engine's own front.
 */
package dev.transload.engine.assembly;
