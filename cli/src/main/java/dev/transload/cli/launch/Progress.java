/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.launch;

import com.fasterxml.jackson.databind.JsonNode;

/** Told how far a rank is. */
@FunctionalInterface
public interface Progress
{
    /** Tells nobody of steps. */
    Progress NONE = (stage, done, all) -> {};

    /**
     * A step was made.
     *
     * @param stage what is being done, e.g. {@code verifying}.
     * @param done  steps.
     * @param all   steps of the stage.
     */
    void step(String stage, long done, long all);

    /**
     * Something worth keeping was found, in case that the rank ends before it reports.
     *
     * @param finding which replaces the ones before it.
     */
    default void found(final JsonNode finding)
    {
        // Most tasks are worth nothing before their end.
    }

    /** Something that a person wants to know at once. */
    default void note(final String line)
    {
        System.err.println(line);
    }
}
