/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.gate;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;

/**
 * A line of {@code config/advisories.txt}.
 *
 * @param library as group:artifact.
 * @param least   first version that is not affected.
 * @param id      of the advisory.
 */
public record Advisory(String library, String least, String id)
{
    private static final int PARTS = 3;

    /**
     * Read the list.
     *
     * @param list file of lines.
     * @return advisories, at least one.
     * @throws IOException              if it cannot be read.
     * @throws IllegalArgumentException for a line that is none.
     */
    public static List<Advisory> readAll(final Path list) throws IOException
    {
        final List<Advisory> advisories = new ArrayList<>();
        for (final String line : Files.readAllLines(list))
        {
            final String[] parts = line.strip().split("\\s+");
            if (!line.isBlank() && !line.startsWith("#"))
            {
                if (PARTS != parts.length || !parts[0].matches("[^:]+:[^:]+"))
                {
                    throw new IllegalArgumentException(list + ": " + line);
                }

                advisories.add(new Advisory(parts[0], parts[1], parts[2]));
            }
        }

        if (advisories.isEmpty())
        {
            throw new IllegalArgumentException(list + " has no line");
        }

        return advisories;
    }

    /**
     * The jars of the library.
     *
     * @param jars that lie in a local repository, as group/artifact/version/file.
     * @return those that the advisory is about.
     */
    public List<Path> of(final Collection<Path> jars)
    {
        final String[] names = library.split(":");
        final Path folder = Path.of(names[0].replace('.', '/'), names[1]);
        return jars.stream().filter((jar) -> jar.getNameCount() > PARTS &&
            jar.getParent().getParent().endsWith(folder)).toList();
    }

    /**
     * Whether a jar of the library is affected.
     *
     * @param jar in a local repository.
     * @return whether its version is older.
     */
    public boolean affects(final Path jar)
    {
        return Arrays.compare(numbers(jar.getParent().getFileName().toString()), numbers(least)) < 0;
    }

    private static int[] numbers(final String version)
    {
        return Arrays.stream(version.split("[.-]")).takeWhile((part) -> part.matches("\\d+"))
            .mapToInt(Integer::parseInt).toArray();
    }
}
