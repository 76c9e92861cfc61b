/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine;

/** Inputs and answers of a world, in place of random ones. */
interface GivenInputs
{
    /** Write inputs over random ones. */
    void writeInto(WorldData data);

    /** What a rank answers for a token, or one of its experts for one choice of the token. */
    short[] answer(WorldData data, int rank, int source, int token, int k);
}
