/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.transload.cli.outcome.ExitCodes;
import dev.transload.gate.Thorough;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * What the commands say of (emulated) NPUs. Nothing that they say of one, its name, its addresses or its figures, may
 * be taken for hardware: the emulator bears the name of a real chip here.
 */
@Timeout(300)
class HccsCommandsIT
{
    private static final List<String> CHECKS = List.of("put-patterns", "rows-random", "rows-neighbours", "rows-strided",
        "two-way", "data-then-flag", "data-then-kernel", "adds", "load", "peer-exit", "time-out-and-abort", "whitelist",
        "import-after-exit", "device-adds");
    private static final Pattern FIGURE = Pattern.compile("\\d GB/s|GBps \\d|_ms \\d|micros_per_round \\d");
    private static final String NO_SPEED = "figures of an emulator, which tell nothing of a device's speed";
    private static final String ROUNDS = "301";

    private static String library;

    @TempDir
    private Path folder;

    @BeforeAll
    static void shouldHaveTheEmulator()
    {
        library = AclEmulator.require();
    }

    /** The rules between processes are those of {@code ProcessesConformanceIT}. */
    @Test
    void shouldMakeDevicesShowWhatTheRulesLeaveOut() throws Exception
    {
        final JsonNode json = done("conformance", AclEmulator.NAME, "--emulate", "--devices", "1,0", "--rounds", ROUNDS,
            "--json").json();

        CliReference.assertValid("transload conformance", json);
        assertTrue(json.get("conformant").asBoolean(), json::toString);
        assertEquals("emulator", json.get("device").asText());
        assertEquals(library, json.at("/versions/library").asText());
        assertEquals("8.3.emulator", json.at("/versions/CANN").asText());
        assertEquals(AclEmulator.CHIP, json.at("/versions/SoC").asText());
        assertEquals(2, json.get("matrix").size());
        for (final JsonNode link : json.get("matrix"))
        {
            assertTrue(link.get("reachable").asBoolean() && link.get("GBps").asDouble() > 0 &&
                "HCCS".equals(link.get("link").asText()) &&
                1 == link.get("from").asInt() + link.get("to").asInt(), link::toString);
        }

        final List<String> names = new ArrayList<>();
        for (final JsonNode check : json.get("checks"))
        {
            names.add(check.get("check").asText());
            assertEquals("passed", check.get("status").asText(), check::toString);
            assertTrue(check.get("seconds").asDouble() > 0, check::toString);
        }

        assertEquals(CHECKS, names);
        assertEquals(ROUNDS, json.at("/checks/5/figures/rounds").asText().replace(".0", ""));
        AclEmulator.assertSaid(json);
    }

    @Test
    @Thorough("DevicePart is the same code for all checks, of which the gate runs those that pass")
    void shouldSayWhichCheckFailsAndWhichDoesNotApply() throws Exception
    {
        final Map<String, String> variables = AclEmulator.variables();
        variables.put("TRANSLOAD_ACL_EMULATOR_FAULTS", "value:1=507013;aclrtReduceAsync=missing");
        final Program.End end = Program.start(folder, List.of(), variables, "conformance", AclEmulator.NAME,
            "--emulate", "--devices", "0,1", "--rounds", "1").end();

        assertEquals(ExitCodes.FAILED, end.exitCode(), end.err());
        assertTrue(end.err().contains("transport 'hccs' fails the checks of devices time-out-and-abort"), end.err());
        assertTrue(end.out().lines().anyMatch((line) -> line.matches(
            "emulator time-out-and-abort +failed .*ended with ACL_ERROR_RT_SYS_DMA.*")), end.out());
        assertTrue(end.out().lines().anyMatch((line) -> line.matches(
            "emulator device-adds +skipped .* the runtime has no aclrtReduceAsync")), end.out());
        assertTrue(end.out().contains("emulator SoC: " + AclEmulator.CHIP), end.out());
        AclEmulator.assertSaidByLine(end.out(), FIGURE);
    }

    /** The first page-locked memory of a process is not taken back, however often it is offered. */
    @Test
    @Thorough("DevicePart is the same code for all checks, of which the gate runs those that pass")
    void shouldFailWhereSomethingIsLeft() throws Exception
    {
        final Map<String, String> variables = AclEmulator.variables();
        variables.put("TRANSLOAD_ACL_EMULATOR_FAULTS", IntStream.rangeClosed(1, 30)
            .mapToObj((nth) -> "aclrtFreeHost:" + nth + "=507899").collect(Collectors.joining(";")));
        final Program.End end = Program.start(folder, List.of(), variables, "conformance", AclEmulator.NAME,
            "--emulate", "--processes", "--json").end();

        assertEquals(ExitCodes.FAILED, end.exitCode(), end.err());
        assertFalse(end.json().get("conformant").asBoolean(), end.out());
        end.json().get("results").forEach((result) -> assertNotEquals("failed", result.get("status").asText()));
        final String left = end.json().at("/bad_ends/0").asText();
        assertTrue(left.matches("a rank's process \\(\\d+\\) ended with status 86"), end.out());
        assertTrue(end.err().contains("transport 'hccs' leaves something behind: " + left), end.err());
    }

    @Test
    void shouldSayInOneLineThatThereIsNoRuntime() throws Exception
    {
        final Program.End end = start("conformance", AclEmulator.NAME, "--devices", "0,1",
            "-Dtransload.hccs.library=libno-such-runtime.so").end();
        assertEquals(ExitCodes.UNAVAILABLE, end.exitCode(), end.err());
        assertEquals("", end.out());
        assertEquals(1, end.sentences().size(), end.err());
        assertTrue(end.sentences().get(0).contains("the ACL runtime libno-such-runtime.so cannot be opened"),
            end.err());
    }

    @Test
    void shouldSayOfEachTransportThatItIsEmulated() throws Exception
    {
        final String option = "-Dtransload.hccs.library=" + library;
        AclEmulator.assertSaidByLine(done("transports", option).out(), FIGURE);
        final JsonNode json = done("transports", option, "--json").json();
        CliReference.assertValid("transload transports", json);
        AclEmulator.assertSaid(json);
        assertTrue(json.toString().contains(AclEmulator.CHIP), json::toString);
    }

    @Test
    void shouldSayThatARunWasEmulated() throws Exception
    {
        final Path page = folder.resolve("page.html");
        final String[] run = {"run", "--scale-up", AclEmulator.NAME, "--emulate", "--nodes", "1", "--ranks-per-node",
            "2", "--in-process", "--tokens", "8", "--hidden", "128", "--experts", "4", "--topk", "2",
            "-Dtransload.kernels.mode=scalar", "--timeout", "120s", "--report", page.toString()};
        final String text = done(run).out();
        assertTrue(text.indexOf(NO_SPEED) > 0 && text.indexOf(NO_SPEED) < text.indexOf("dispatch "), text);
        AclEmulator.assertSaidByLine(text, Pattern.compile("ASCEND"));
        assertPageSays(page);
        final List<String> asJson = new ArrayList<>(List.of(run));
        asJson.add("--json");
        final JsonNode json = done(asJson.toArray(new String[0])).json();
        assertTrue(json.get("emulated").asBoolean(), json::toString);
        AclEmulator.assertSaid(json);
    }

    @Test
    @Thorough("NvlinkCommandsIT measures emulated devices in the gate; a run and the transports say here that they are")
    void shouldSayThatABenchWasEmulated() throws Exception
    {
        final Path page = folder.resolve("page.html");
        final String text = done("bench", AclEmulator.NAME, "--emulate", "--report", page.toString()).out();
        assertEquals(1, text.lines().toList().indexOf(NO_SPEED), text);
        AclEmulator.assertSaidByLine(text, Pattern.compile(AclEmulator.CHIP));
        final JsonNode json = assertPageSays(page);
        assertTrue(json.get("emulated").asBoolean(), json::toString);
    }

    /** In its title, and in the data that it is drawn from. */
    private static JsonNode assertPageSays(final Path page) throws Exception
    {
        final String html = Files.readString(page);
        assertTrue(Pattern.compile("<title>[^<]*, emulated</title>").matcher(html).find(), html.substring(0, 400));
        final String begin = "<script type=\"application/json\" id=\"data\">";
        final int at = html.indexOf(begin) + begin.length();
        final JsonNode data = new ObjectMapper().readTree(html.substring(at, html.indexOf("</script>", at)));
        assertTrue(data.toString().contains(AclEmulator.CHIP), data::toString);
        AclEmulator.assertSaid(data);
        return data;
    }

    private Program.End done(final String... args) throws Exception
    {
        final Program.End end = start(args).end();
        assertEquals(ExitCodes.DONE, end.exitCode(), end.err());
        return end;
    }

    private Program start(final String... args) throws Exception
    {
        return Program.start(folder, List.of(), AclEmulator.variables(), args);
    }
}
