/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.launch;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.function.Supplier;

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

    /**
     * A state that is worth telling of, in case that a signal ends the run before the rank reports.
     *
     * @param report of the state, made only when it is asked for, by another thread; it may give null. It replaces the
     *               one before it.
     */
    default void checkpoint(final Supplier<JsonNode> report)
    {
        // Nobody asks.
    }

    /** Something that a person wants to know at once. */
    default void note(final String line)
    {
        System.err.println(line);
    }
}
