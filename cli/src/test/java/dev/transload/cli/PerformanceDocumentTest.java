/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** docs/performance.md and the script that writes it. */
class PerformanceDocumentTest
{
    private static final Path BENCHMARKS = Path.of("..", "benchmarks");
    private static final Path SCRIPT = BENCHMARKS.resolve("performance.py");
    private static final Path DOCS = Path.of("..", "docs");

    @TempDir
    private Path folder;

    @BeforeAll
    static void shouldHavePython() throws InterruptedException
    {
        try
        {
            new ProcessBuilder("python3", "--version").start().waitFor();
        }
        catch (final IOException ex)
        {
            LoudSkip.because("there is no python3: " + ex.getMessage());
        }
    }

    @Test
    void shouldBeWhatTheScriptMakesOfTheFigures() throws Exception
    {
        final Path figures = DOCS.resolve("performance.json");
        write(figures, BENCHMARKS.resolve("performance.template.md"));
        assertEquals(Files.readString(figures), Files.readString(folder.resolve("out.json")));
        assertEquals(Files.readString(DOCS.resolve("performance.md")), Files.readString(folder.resolve("out.md")));
    }

    @Test
    void shouldMarkGoalsThatWereMissed() throws Exception
    {
        final String column = "\"Java / C (min, max)\": ";
        final Path figures = Files.writeString(folder.resolve("in.json"), "{\"row-kernels\": [" +
            "{\"kernel set\": \"quantize hot\", " + column + "0.6}," +
            "{\"kernel set\": \"reduce hot\", " + column + "0.74}," +
            "{\"kernel set\": \"reduce cold\", " + column +
            "{\"median\": 0.8, \"least\": 0.7, \"greatest\": 0.9}}]}");
        write(figures, Files.writeString(folder.resolve("template"), "@row-kernels@\n"));
        assertEquals(List.of("| kernel set | Java / C (min, max) | goal |", "|---|---|---|",
            "| quantize hot | 0.6 | at least 0.6: met |", "| reduce hot | 0.74 | at least 0.75: **MISSED** |",
            "| reduce cold | 0.80 (0.70, 0.90) | at least 0.75: met, not in each round |"),
            Files.readAllLines(folder.resolve("out.md")));
    }

    @Test
    void shouldListMissedGoalsAndHaveAColumnForEachNumberOfTokens() throws Exception
    {
        final String call = "\"transport\": \"aeron\", \"ranks\": \"2\", \"call\": \"dispatch\", ";
        final Path figures = Files.writeString(folder.resolve("in.json"), "{\"low-latency\": [" +
            "{" + call + "\"tokens\": \"1\", \"microseconds\": {\"median\": 11, \"least\": 10, \"greatest\": 12}, " +
            "\"ratio\": {\"median\": 1.1, \"least\": 1, \"greatest\": 1.2}}," +
            "{" + call + "\"tokens\": \"8\", \"microseconds\": 80.5, \"ratio\": 3.5}]}");
        write(figures, Files.writeString(folder.resolve("template"), "@missed@\n@low-latency@\n"));
        assertEquals(List.of("| table | row | measured | goal |", "|---|---|---|---|",
            "| low-latency | aeron, 2 ranks, dispatch, 8 tokens | 3.5 | at most 3: **MISSED** |",
            "| transport | ranks | call | T = 1 | T = 8 | goal |", "|---|---|---|---|---|---|",
            "| aeron | 2 | dispatch | 11.00 \u00B7 1.10 (1.00, 1.20) | 80.5 \u00B7 3.5 | " +
            "at most 3: **MISSED** (T = 8) |"),
            Files.readAllLines(folder.resolve("out.md")));
    }

    @Test
    void shouldGiveNoMedianOfASingleRound() throws Exception
    {
        final String program = "import performance as p; print(*(p.shown(p.spread(v)) for v in ([1.5], [1.5, 2.5])))";
        assertEquals("1.5 2.00 (1.50, 2.50)", python("-c", program).strip());
    }

    private void write(final Path figures, final Path template) throws Exception
    {
        python(SCRIPT.toString(), figures.toString(), template.toString(), folder.resolve("out").toString());
    }

    private String python(final String... args) throws Exception
    {
        final Path log = folder.resolve("log");
        // -B: imports leave no compiled files in the project.
        final List<String> command = new ArrayList<>(List.of("python3", "-B"));
        command.addAll(List.of(args));
        final ProcessBuilder builder =
            new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile());
        builder.environment().put("PYTHONPATH", BENCHMARKS.toString());
        final Process process = builder.start();
        final boolean isEnded = process.waitFor(1, TimeUnit.MINUTES);
        process.destroyForcibly();
        final String said = Files.readString(log, StandardCharsets.UTF_8);
        assertTrue(isEnded, () -> "it did not end: " + said);
        assertEquals(0, process.exitValue(), said);
        return said;
    }
}
