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
import java.util.stream.Collectors;

/**
 * Prints the processor time of a build's tests: each module's, and the slowest classes; and fails the build for a class
 * that takes more than the gate allows.
 */
public final class GateTable
{
    private static final int SLOWEST = 10;
    private static final int COLUMNS = 5;
    private static final double MS_PER_SECOND = 1e3;

    private record Row(String module, String name, long processorMs, long wallMs, String jdk)
    {
        double processorSeconds()
        {
            return processorMs / MS_PER_SECOND;
        }
    }

    private GateTable()
    {
    }

    /**
     * Print the table of a build, and check it.
     *
     * @param args the folder of the project, the build's name in the files of its modules, the seconds of processor
     *             time that a class may take (0 for any), and the file of those that may take more.
     * @throws IOException           if a file can't be read.
     * @throws IllegalStateException if classes took more than they may.
     */
    public static void main(final String[] args) throws IOException
    {
        run(List.of(args), System.out);
    }

    static void run(final List<String> args, final PrintStream out) throws IOException
    {
        final List<Row> rows = rows(Path.of(args.get(0)), args.get(1));
        print(rows, out);
        final int general = Integer.parseInt(args.get(2));
        if (general > 0)
        {
            check(rows, general, Path.of(args.get(3)));
        }
    }

    private static void check(final List<Row> rows, final int general, final Path file) throws IOException
    {
        final SlowTests slow = SlowTests.read(file);
        final double slowness = slow.slowness(processorSeconds(rows));
        final String over = rows.stream()
            .filter((row) -> row.processorSeconds() > slowness * slow.limit(row.name, general))
            .map((row) -> String.format(Locale.ROOT, "%s took %.1f s of %d s", row.name,
                row.processorSeconds(), slow.limit(row.name, general)))
            .collect(Collectors.joining(", "));
        if (!over.isEmpty())
        {
            throw new IllegalStateException(String.format(Locale.ROOT,
                "test classes took more processor time, their own and their processes', than the gate allows them on " +
                "a machine %.2f times as slow as that of %s: %s; make them cheaper, leave parts to the thorough run " +
                "by @Thorough, or give them a line with a reason in that file", slowness, file, over));
        }
    }

    private static double processorSeconds(final List<Row> rows)
    {
        return rows.stream().mapToLong(Row::processorMs).sum() / MS_PER_SECOND;
    }

    private static void print(final List<Row> rows, final PrintStream out)
    {
        final Map<String, long[]> modules = new TreeMap<>();
        for (final Row row : rows)
        {
            final long[] sums = modules.computeIfAbsent(row.module, (name) -> new long[2]);
            sums[0] += row.processorMs;
            sums[1] += row.wallMs;
        }

        out.printf("%n%-28s %12s %10s%n", "tests of", "processor s", "wall s");
        modules.forEach((name, sums) -> out.printf(
            Locale.ROOT, "%-28s %12.1f %10.1f%n", name, sums[0] / MS_PER_SECOND, sums[1] / MS_PER_SECOND));
        out.printf(Locale.ROOT, "%-28s %12.1f %10.1f%n%n", "all", processorSeconds(rows),
            rows.stream().mapToLong(Row::wallMs).sum() / MS_PER_SECOND);
        out.printf("%-72s %4s %12s %10s%n", "slowest test classes", "JDK", "processor s", "wall s");
        rows.stream().sorted(Comparator.comparingLong(Row::processorMs).reversed()).limit(SLOWEST).forEach((row) ->
            out.printf(Locale.ROOT, "%-72s %4s %12.1f %10.1f%n",
                row.name, row.jdk, row.processorSeconds(), row.wallMs / MS_PER_SECOND));
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
