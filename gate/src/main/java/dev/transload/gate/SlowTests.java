/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.gate;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;

/**
 * The classes that may take more processor time than others. A line of the file has the class's full name, the seconds
 * that it may take, and the reason, parted by blanks; lines that begin with {@code #} are comments. The line of
 * {@value #GATE} has what the whole gate takes on the machine that these seconds are counted on.
 */
final class SlowTests
{
    /** Stands for all classes. */
    static final String GATE = "gate";

    private static final int PARTS = 3;

    private final Map<String, Integer> limits = new TreeMap<>();

    private SlowTests()
    {
    }

    /**
     * From a file.
     *
     * @param file of lines.
     * @return what it says.
     * @throws IOException              if it can't be read.
     * @throws IllegalArgumentException if a line lacks a part, or names a class again.
     */
    static SlowTests read(final Path file) throws IOException
    {
        final SlowTests result = new SlowTests();
        for (final String line : Files.readAllLines(file))
        {
            if (line.isBlank() || line.startsWith("#"))
            {
                continue;
            }

            final String[] parts = line.strip().split("\\s+", PARTS);
            if (PARTS != parts.length || !parts[1].matches("[1-9]\\d{0,3}") ||
                null != result.limits.put(parts[0], Integer.parseInt(parts[1])))
            {
                throw new IllegalArgumentException(file + ": '" + line +
                    "' must be a class that no other line names, its limit in whole seconds, and a reason");
            }
        }

        return result;
    }

    /**
     * What a class may take.
     *
     * @param className in full.
     * @param general   seconds, for a class that has no line.
     * @return seconds.
     */
    int limit(final String className, final int general)
    {
        return limits.getOrDefault(className, general);
    }

    /**
     * Processor time that the gate takes here, as a multiple of what its line says: cores may be slower, or shared.
     *
     * @param gateSeconds what all classes took.
     * @return at least 1, which it also is without a line of {@value #GATE}.
     */
    double slowness(final double gateSeconds)
    {
        return Math.max(1, gateSeconds / limits.getOrDefault(GATE, Integer.MAX_VALUE));
    }
}
