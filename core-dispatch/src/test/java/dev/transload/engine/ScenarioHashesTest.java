/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import dev.transload.gate.Thorough;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Whatever changes inside the engine, its outputs keep the bytes that were recorded in {@code scenarios.txt}.
 * <p>
 * {@code -Dtest.record-scenarios=true} writes the file anew instead, once every output agrees with the reference; with
 * {@code -Dtest.left-out=} it has the whole traces, too. Hashes that change with it belong into the change log.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(120)
class ScenarioHashesTest
{
    private static final boolean IS_RECORDING = Boolean.getBoolean("test.record-scenarios");
    private static final String RESOURCE = "/scenarios/scenarios.txt";
    private static final String COLUMN = " | ";
    private static final List<String> HEADER = List.of(
        "# Outputs of the engine: number, inputs and settings; 64 bits of the SHA-256 of each output of all ranks.",
        "# Written by ScenarioHashesTest with -Dtest.record-scenarios=true; never by hand.");

    private final Map<Integer, String> lines = read();
    private final Map<Integer, String> written = new TreeMap<>();

    static List<RecordedScenario> scenarios()
    {
        return RecordedScenarios.all();
    }

    static List<RecordedScenario> wholeTraces()
    {
        return RecordedScenarios.wholeTraces();
    }

    @ParameterizedTest
    @MethodSource("scenarios")
    void shouldDeliverTheBytesThatWereRecorded(final RecordedScenario scenario)
    {
        compareOrRecord(scenario);
    }

    @Thorough("300 scenarios of the gate, among them parts of these traces")
    @ParameterizedTest
    @MethodSource("wholeTraces")
    void shouldDeliverTheBytesThatWereRecordedOfAWholeTrace(final RecordedScenario scenario)
    {
        compareOrRecord(scenario);
    }

    private void compareOrRecord(final RecordedScenario scenario)
    {
        final Map<String, String> hashes = OutputHashes.of(scenario, IS_RECORDING);
        if (IS_RECORDING)
        {
            written.put(scenario.number(), line(scenario, hashes));
        }
        else
        {
            compare(lines.get(scenario.number()), scenario, hashes);
        }
    }

    private static String line(final RecordedScenario scenario, final Map<String, String> hashes)
    {
        return scenario.number() + COLUMN + scenario.description() + COLUMN + hashes.entrySet().stream()
            .map((entry) -> entry.getKey() + " " + entry.getValue()).collect(Collectors.joining(", "));
    }

    /** Names each output that differs. */
    private static void compare(final String line, final RecordedScenario scenario, final Map<String, String> hashes)
    {
        assertNotNull(line, () -> "no outputs are recorded of scenario " + scenario);
        final String[] columns = line.split(" \\| ");
        assertEquals(columns[1], scenario.description(),
            () -> "scenario " + scenario.number() + " is another one than was recorded");
        final Map<String, String> recorded = new LinkedHashMap<>();
        for (final String output : columns[2].split(", "))
        {
            final int end = output.lastIndexOf(' ');
            recorded.put(output.substring(0, end), output.substring(end + 1));
        }

        final List<String> differences = new ArrayList<>();
        final TreeSet<String> outputs = new TreeSet<>(recorded.keySet());
        outputs.addAll(hashes.keySet());
        for (final String output : outputs)
        {
            if (!Objects.equals(recorded.get(output), hashes.get(output)))
            {
                differences.add(output + ": recorded is " + recorded.get(output) + ", now " + hashes.get(output));
            }
        }

        if (!differences.isEmpty())
        {
            fail("other outputs of scenario " + scenario + "\n  " + String.join("\n  ", differences));
        }
    }

    @Test
    void shouldHaveManyScenariosThatDiffer()
    {
        final List<RecordedScenario> all = new ArrayList<>(RecordedScenarios.all());
        assertEquals(RecordedScenarios.COUNT, all.size());
        all.addAll(RecordedScenarios.wholeTraces());
        assertEquals(all.size(), all.stream().map(RecordedScenario::description).distinct().count());
        final Set<Integer> numbers = all.stream().map(RecordedScenario::number).collect(Collectors.toSet());
        assertTrue(IS_RECORDING || numbers.equals(lines.keySet()), () -> "recorded are " + lines.keySet());
    }

    @Test
    void shouldNameEachOutputThatDiffers()
    {
        final RecordedScenario scenario = RecordedScenarios.all().get(0);
        final Map<String, String> hashes = new LinkedHashMap<>(Map.of("rows", "12", "cached rows", "34", "topk", "56"));
        final String line = line(scenario, hashes);
        compare(line, scenario, hashes);
        hashes.put("cached rows", "35");
        hashes.put("weights", "78");
        hashes.remove("topk");
        Messages.assertRefused(AssertionError.class, () -> compare(line, scenario, hashes),
            "scenario 1: 1x4 ranks", "cached rows: recorded is 34, now 35", "weights: recorded is null, now 78",
            "topk: recorded is 56, now null");
        Messages.assertRefused(AssertionError.class,
            () -> compare(line.replace("1x4 ranks", "1x5 ranks"), scenario, hashes), "another one than was recorded");
        Messages.assertRefused(AssertionError.class, () -> compare(null, scenario, hashes), "no outputs are recorded");
    }

    private static Map<Integer, String> read()
    {
        final Map<Integer, String> lines = new TreeMap<>();
        try (BufferedReader reader = new BufferedReader(new InputStreamReader(
            Objects.requireNonNull(ScenarioHashesTest.class.getResourceAsStream(RESOURCE), RESOURCE),
            StandardCharsets.UTF_8)))
        {
            reader.lines().filter((line) -> !line.startsWith("#"))
                .forEach((line) -> lines.put(Integer.valueOf(line.substring(0, line.indexOf(COLUMN))), line));
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }

        return lines;
    }

    /** Lines of scenarios that did not run stay; a scenario that failed leaves its old one. */
    @AfterAll
    void write() throws IOException
    {
        if (IS_RECORDING)
        {
            final Map<Integer, String> all = new TreeMap<>(lines);
            all.putAll(written);
            final List<String> text = new ArrayList<>(HEADER);
            text.addAll(all.values());
            Files.write(Path.of("src/test/resources" + RESOURCE), text);
        }
    }
}
