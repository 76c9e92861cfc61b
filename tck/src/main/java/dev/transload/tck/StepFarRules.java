/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.tck;

import org.junit.jupiter.api.Assumptions;

/** Rules STP on what is posted for far ranks. */
interface StepFarRules extends StepCase
{
    /** Tokens of ranks whose rows and answers travel in several chunks. */
    int CHUNKED_TOKENS = 40;

    @Rule("STP-10")
    default void stp10EntriesNameWhatIsThere()
    {
        try (StepsFixture probe = fixture(1))
        {
            Assumptions.assumeTrue(probe.hasFar(), "all ranks are near here");
        }

        inWorlds(2, CHUNKED_TOKENS, true, (world) ->
        {
            // What an entry names is read as soon as the entry shows, and brought at any time.
            world.takePostsAtOnce();
            for (int call = 0; call < 3; call++)
            {
                world.call(call);
            }
        });
    }
}
