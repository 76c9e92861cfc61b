/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */

/**
 * Mutants of the engine: one real class, changed as it is loaded, must make a test of the gate fail. The table is
 * {@link dev.transload.engine.mutants.EngineMutants}. A change of the engine may move the place of an edit, which is
 * then adapted there.
 */
package dev.transload.engine.mutants;
