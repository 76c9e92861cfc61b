/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.gate;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.platform.testkit.engine.EngineExecutionResults;
import org.junit.platform.testkit.engine.EngineTestKit;

class GateTest
{
    private static final String FIVE_LINES = "four\tA\t9000\t100\t17\none\tA\t1500\t2000\t17\none\tB\t2500\t300\t25\n";

    @TempDir
    private Path folder;
    private Path times;
    private Path slow;
    private final Map<String, String> before = new HashMap<>();

    /** Run by the tests below only. */
    @ExtendWith(ClassTimes.class)
    static class Spinning
    {
        @Test
        void shouldTakeMoreThanASecondOfProcessorTime()
        {
            final long end = ProcessorTime.nowNs() + 1_200_000_000L;
            while (ProcessorTime.nowNs() < end)
            {
                Thread.onSpinWait();
            }
        }
    }

    @BeforeEach
    void setUp() throws IOException
    {
        times = Files.createDirectories(folder.resolve("module/target")).resolve("class-times.tsv");
        slow = Files.writeString(folder.resolve("slow"), "# none\n");
        set(ClassTimes.FILE, times.toString());
        set(ClassTimes.BUILD, "one");
    }

    @AfterEach
    void tearDown()
    {
        before.forEach((key, value) ->
        {
            if (null == value)
            {
                System.clearProperty(key);
            }
            else
            {
                System.setProperty(key, value);
            }
        });
    }

    @Test
    void shouldWriteWhatAClassTakes() throws IOException
    {
        final EngineExecutionResults results =
            EngineTestKit.engine("junit-jupiter").selectors(selectClass(Spinning.class)).execute();

        assertEquals(1, results.testEvents().succeeded().count());
        assertEquals(0, results.containerEvents().failed().count());
        assertTrue(Files.readString(times).startsWith("one\t" + Spinning.class.getName() + "\t1"));
    }

    @Test
    void shouldFailABuildWithAClassThatTakesTooMuch() throws IOException
    {
        Files.writeString(times, FIVE_LINES);

        final String message = assertThrows(IllegalStateException.class, () -> run("2")).getMessage();
        assertTrue(message.contains("1.00 times"), message);
        assertTrue(message.contains(": B took 2.5 s of 2 s;"), message);
    }

    @Test
    void shouldAllowMoreWhereThereIsAReason() throws IOException
    {
        Files.writeString(times, FIVE_LINES);
        Files.writeString(slow, "B 3 because it spins\n");

        assertDoesNotThrow(() -> run("2"));
    }

    @Test
    void shouldAllowMoreOnAMachineThatTakesLongerForAll() throws IOException
    {
        Files.writeString(times, FIVE_LINES);
        Files.writeString(slow, "gate 3 a faster machine\n");
        assertDoesNotThrow(() -> run("2"));

        Files.writeString(slow, "gate 4 this machine\n");
        assertThrows(IllegalStateException.class, () -> run("2"));
        Files.writeString(slow, "gate 9 a slower machine\n");
        assertThrows(IllegalStateException.class, () -> run("2"));
    }

    @Test
    void shouldAllowAnythingWithoutALimit() throws IOException
    {
        Files.writeString(times, FIVE_LINES);

        assertDoesNotThrow(() -> run("0"));
    }

    @Test
    void shouldRefuseALineWithoutReason() throws IOException
    {
        for (final String line : List.of("A 30", "A 0 why", "A -1 why", "A much why", "A 30 why\nA 40 why"))
        {
            final Path file = Files.writeString(folder.resolve("slow"), line + '\n');
            assertThrows(IllegalArgumentException.class, () -> SlowTests.read(file), line);
        }
    }

    @Test
    void shouldReadNamesWithBlanksAndParentheses()
    {
        assertEquals(1 + 2 + 3 + 4,
            ProcessorTime.ticks("77 (a) b (c)) S 1 77 77 0 -1 4194560 5 6 7 8 1 2 3 4 20 0 1 0 99 1000"));
    }

    @Test
    void shouldCountWhatChildrenTook() throws Exception
    {
        final long begun = ProcessorTime.nowNs();
        final String loop = "i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done";
        final Process child = new ProcessBuilder("sh", "-c", loop).start();
        assertEquals(0, child.waitFor());

        assertTrue(ProcessorTime.nowNs() - begun >= 50_000_000L);
    }

    @Test
    void shouldPrintTheRowsOfOneBuild() throws IOException
    {
        Files.writeString(times, FIVE_LINES);

        final List<String> lines = run("0").lines().map(String::strip)
            .map((line) -> line.replaceAll(" +", " ")).toList();
        assertTrue(lines.contains("module 4.0 2.3"), lines.toString());
        assertTrue(lines.indexOf("B 25 2.5 0.3") < lines.indexOf("A 17 1.5 2.0"), lines.toString());
        assertTrue(lines.stream().noneMatch((line) -> line.contains("9.0")), lines.toString());
    }

    private String run(final String limitSeconds) throws IOException
    {
        final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        GateTable.run(List.of(folder.toString(), "one", limitSeconds, slow.toString()),
            new PrintStream(bytes, true, StandardCharsets.UTF_8));
        return bytes.toString(StandardCharsets.UTF_8);
    }

    private void set(final String key, final String value)
    {
        before.putIfAbsent(key, System.getProperty(key));
        if (!before.containsKey(key))
        {
            before.put(key, null);
        }

        System.setProperty(key, value);
    }
}
