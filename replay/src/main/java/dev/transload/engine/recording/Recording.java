/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.recording;

/** Data with which a world can be run again on the stepping transport. Equal recordings give equal runs. */
public sealed interface Recording permits NormalRecording, LowLatencyRecording
{
    /** Format name of all recordings. */
    String FORMAT = "transload recording";

    /** Version that this program reads and writes. Other versions are refused. */
    int VERSION = 1;

    /**
     * Returns the format name of the file.
     *
     * @return {@link #FORMAT}.
     */
    String format();

    /**
     * Returns the version of the file.
     *
     * @return {@link #VERSION}.
     */
    int version();

    /**
     * Returns a description of the recorded run for human readers.
     *
     * @return name of a command or a test.
     */
    String source();

    /**
     * Returns the mode of the engines.
     *
     * @return {@code normal} or {@code low-latency}.
     */
    String mode();

    /**
     * Returns the seed of the order of all steps.
     *
     * @return seed.
     */
    long schedule();

    /**
     * Returns the same world with a different order of steps.
     *
     * @param seed seed of the order.
     * @return changed copy.
     */
    Recording withSchedule(long seed);

    /**
     * Checks that all values are possible in a world.
     *
     * @throws dev.transload.engine.BadInputException if a value is not allowed; the message names key, value and
     *                                                allowed values.
     */
    void check();
}
