/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.recording;

/** What a world needs to be run again on the stepping transport: equal recordings give equal runs. */
public sealed interface Recording permits NormalRecording, LowLatencyRecording
{
    /** Of all recordings. */
    String FORMAT = "transload recording";

    /** Of this program; others are refused. */
    int VERSION = 1;

    /**
     * What the file is.
     *
     * @return {@link #FORMAT}.
     */
    String format();

    /**
     * Version of the file.
     *
     * @return {@link #VERSION}.
     */
    int version();

    /**
     * What was recorded, for a person.
     *
     * @return a command or a test.
     */
    String source();

    /**
     * Mode of the engines.
     *
     * @return {@code normal} or {@code low-latency}.
     */
    String mode();

    /**
     * Seed of the order of all that happens.
     *
     * @return seed.
     */
    long schedule();

    /**
     * The same world in another order.
     *
     * @param seed of the order.
     * @return changed copy.
     */
    Recording withSchedule(long seed);

    /**
     * Refuse values that no world has.
     *
     * @throws dev.transload.engine.BadInputException naming key, value and what is allowed.
     */
    void check();
}
