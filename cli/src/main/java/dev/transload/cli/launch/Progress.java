/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.launch;

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
     * Something that a person wants to know at once.
     *
     * @param line for standard error.
     */
    default void note(final String line)
    {
        System.err.println(line);
    }
}
