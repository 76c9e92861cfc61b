/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */

/**
 * Mutants of the engine: one real class, changed as it is loaded, must make a test of the gate fail. The table is
 * {@link dev.transload.engine.mutants.EngineMutants}; who changes the engine so that an edit finds its place no more
 * adapts it there.
 */
package dev.transload.engine.mutants;
