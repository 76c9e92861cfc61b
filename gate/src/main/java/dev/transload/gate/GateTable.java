/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.gate;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** Prints the processor time of a build's tests: each module's, and the slowest classes. */
public final class GateTable
{
    private static final int SLOWEST = 10;
    private static final int COLUMNS = 5;

    private record Row(String module, String name, long processorMs, long wallMs, String jdk)
    {
    }

    private GateTable()
    {
    }

    /**
     * Print the table of a build.
     *
     * @param args the folder of the project, and the build's name in the files of its modules.
     * @throws IOException if a file can't be read.
     */
    public static void main(final String[] args) throws IOException
    {
        print(Path.of(args[0]), args[1], System.out);
    }

    static void print(final Path project, final String build, final PrintStream out) throws IOException
    {
        final List<Row> rows = rows(project, build);
        final Map<String, long[]> modules = new TreeMap<>();
        for (final Row row : rows)
        {
            final long[] sums = modules.computeIfAbsent(row.module, (name) -> new long[2]);
            sums[0] += row.processorMs;
            sums[1] += row.wallMs;
        }

        out.printf("%n%-28s %12s %10s%n", "tests of", "processor s", "wall s");
        modules.forEach((name, sums) -> out.printf(
            Locale.ROOT, "%-28s %12.1f %10.1f%n", name, sums[0] / 1e3, sums[1] / 1e3));
        out.printf(Locale.ROOT, "%-28s %12.1f %10.1f%n%n", "all", rows.stream().mapToLong(Row::processorMs).sum() / 1e3,
            rows.stream().mapToLong(Row::wallMs).sum() / 1e3);
        out.printf("%-72s %4s %12s %10s%n", "slowest test classes", "JDK", "processor s", "wall s");
        rows.stream().sorted(Comparator.comparingLong(Row::processorMs).reversed()).limit(SLOWEST).forEach((row) ->
            out.printf(Locale.ROOT, "%-72s %4s %12.1f %10.1f%n",
                row.name, row.jdk, row.processorMs / 1e3, row.wallMs / 1e3));
        out.println();
    }

    private static List<Row> rows(final Path project, final String build) throws IOException
    {
        final List<Row> rows = new ArrayList<>();
        try (DirectoryStream<Path> modules = Files.newDirectoryStream(project, Files::isDirectory))
        {
            for (final Path module : modules)
            {
                final Path file = module.resolve("target/class-times.tsv");
                if (Files.isRegularFile(file))
                {
                    for (final String line : Files.readAllLines(file))
                    {
                        final String[] columns = line.split("\t");
                        if (COLUMNS == columns.length && columns[0].equals(build))
                        {
                            rows.add(new Row(module.getFileName().toString(), columns[1],
                                Long.parseLong(columns[2]), Long.parseLong(columns[3]), columns[4]));
                        }
                    }
                }
            }
        }

        return rows;
    }
}
