/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */

/**
 * What the roles of an engine wait for, for worlds on the stepping transport. Uses the engine.
 */
package dev.transload.engine.internal.runtime;
