/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.transload.cli.outcome.ExitCodes;
import dev.transload.cli.program.StandardStreams;
import java.io.ByteArrayOutputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Bad usage, command line by command line: exit code and one sentence on standard error, before any rank starts. */
class MainTest
{
    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "run --scale-out teleport | unknown transport 'teleport': found are aeron, hccs, nvlink, ucx",
        "run --scale-up teleport | teleport",
        "run --scale-up aeron,aron | unknown transport 'aron': found are aeron, hccs, nvlink, ucx; did you mean aeron?",
        "run --scale-out aeron,aeron | transload.scale-out.transport = aeron,aeron is not allowed",
        "run --topk 61 | --topk 61",
        "run --topk 2 --experts 1 | top-2 of 1 experts",
        "run --hidden 100 | hidden = 100",
        "run --hidden 200 --dtype fp8 | multiple of 128 with fp8",
        "run --dtype fp4 | --dtype fp4",
        "run --trace none.jsonl | none.jsonl: there is no such file",
        "run --input none | --input none",
        "run --nodes 0 | transload.nodes = 0",
        "run --nodes many | transload.nodes = many",
        "run --channels 0 | transload.channels = 0",
        "run --timeout soon | --timeout soon is not allowed: must be a positive duration with its unit",
        "run --timeout 30 | --timeout 30 is not allowed: must be a positive duration with its unit, e.g. 30s",
        "run -Dtransload.rendezvous.timeout=30 | transload.rendezvous.timeout = 30 is not allowed",
        "run --tokens 2147483647 | --tokens 2147483647 is not allowed: must be in [0, 67108863] for 4 ranks and top-8",
        "run --tokens 1 --hidden 1073741824 | hidden = 1073741824 is not allowed: must be a positive multiple of 8",
        "run --tokens 1 --experts 2147483647 | --experts 2147483647 is not allowed: must be in [1, 1048576]",
        "run --iterations 0 | --iterations 0",
        "run --warmup -1 | --warmup -1 is not allowed: must be at least 0",
        "run --warmup 2147483647 | must be at most 2147483646 with --iterations 1",
        "run --cached | --cached is not allowed with one iteration: the first is never cached",
        "run --tokens -1 | --tokens -1",
        "run --tokens few | few",
        "run --inject drop-table | --inject drop-table",
        "run --tokens 0 --inject drop-row | at least 2 rows",
        "run --explain token | --explain token is not allowed: must be RANK:TOKEN, e.g. 0:17",
        "run --explain 4:0 | --explain 4:0 is not allowed: the rank must be in [0, 4)",
        "run --tokens 9 --explain 3:9 | --explain 3:9 is not allowed: the token must be in [0, 9), which rank 3 has",
        "run --tokens 0 --explain 0:0 | --explain 0:0 is not allowed: rank 0 has no tokens",
        "run --mode low-latency --explain 0:0 | --explain is not allowed: it needs --mode normal",
        "run --config none.conf | none.conf",
        "run -Dtransload.chanels=3 | transload.chanels is not a key",
        "run -Dtransload.scale-upp.chunk=3 | transload.scale-upp is not a key",
        "run -Dtransload.aeron.mtoo=3 | transload.aeron.mtoo is not a key",
        "run -Dtransload.ucx.foo=3 | transload.ucx.foo is not a key of this transport: known are atomics, calls",
        "conformance ucx -Dtransload.ucx.foo=3 | transload.ucx.foo is not a key of this transport",
        "bench ucx -Dtransload.ucx.foo=3 | transload.ucx.foo is not a key of this transport",
        "run -Dtransload.scale-up.ring=2 -Dtransload.scale-up.chunk=4 | could deadlock",
        "run --emulate | --emulate: transport aeron has no device to emulate",
        "run --emulate --scale-up ucx | --emulate: transport aeron and ucx has no device to emulate",
        "tune --emulate | --emulate: transport aeron has no device",
        "conformance aeron --emulate | --emulate: transport aeron has no device",
        "run --mode low-latency --hidden 200 | hidden = 200 is not allowed: must be a positive multiple of 128",
        "run --mode low-latency --max-tokens 0 | transload.low-latency.max-tokens = 0",
        "run --mode low-latency --channels 0 | transload.low-latency.channels = 0",
        "run --mode low-latency --cached --iterations 2 | --cached is not allowed: it needs --mode normal",
        "run --mode low-latency --metrics-port 65535 | rank 3 takes that number more",
        "run --mode low-latency --tokens 0 --inject drop-row | at least 2 rows",
        "run --mode low-latency --dtype fp4 | --dtype fp4",
        "run --mode fast | --mode fast",
        "run --max-tokens 64 | --max-tokens is not allowed: it needs --mode low-latency",
        "bench aeron --report absent/a.html | --report absent/a.html: there is no folder",
        "run --report absent/a.html | --report absent/a.html: there is no folder",
        "bench aeron --ranks 1 | --ranks 1 is not allowed: must be in [2, 64]",
        "bench aeron --ranks 4 --report a.html | leave out --ranks 4",
        "bench aeron --rank 0 | --rank 0 needs --world, the number of ranks",
        "bench aeron --world 2 | --world 2 needs --rank",
        "bench aeron --rank 2 --world 2 | --rank 2 is not allowed: must be in [0, 1]",
        "bench aeron --rank 0 --world 1 | --world 1 is not allowed: must be in [2, 65536]",
        "bench aeron --rank 0 --world 2 | --rank 0 needs --rendezvous, host:port where rank 0 listens",
        "bench aeron --rendezvous localhost:1 | --rendezvous localhost:1 needs --rank and --world",
        "bench aeron --pattern ring | --pattern ring is not allowed: must be pairs or all-to-all",
        "bench aeron --pattern pairs --ranks 3 | --pattern pairs is not allowed with 3 ranks",
        "bench aeron --sizes 4x | --sizes 4x is not allowed: each must be a number of bytes in [1, 1024m]",
        "bench aeron --sizes 8,0 | --sizes 8,0 is not allowed",
        "bench aeron --sizes 2048m | --sizes 2048m is not allowed",
        "bench aeron --window 0 | --window 0 is not allowed: must be in [1, 65536]",
        "bench aeron --iterations 0 | --iterations 0 is not allowed",
        "bench aeron --duration 5 | --duration 5 is not allowed: must be a positive duration with its unit",
        "bench aeron --duration 2h | --duration 2h is not allowed",
        "bench aeron --iterations 5 --duration 1s | --iterations 5 is not allowed with --duration 1s",
        "bench aeron --mode fast | --mode fast is not allowed: must be put, dispatch, combine or low-latency",
        "bench aeron --tokens 5 | --tokens is not allowed with --mode put: it needs --mode dispatch",
        "bench aeron --mode dispatch --sizes 4k | --sizes is not allowed with --mode dispatch: it needs --mode put",
        "bench aeron --mode combine --window 4 | --window is not allowed with --mode combine: it needs --mode put",
        "bench aeron --mode low-latency --hidden 200 | hidden = 200 is not allowed",
        "bench aeron --mode dispatch --ranks 1 | --ranks 1 is not allowed: must be in [2, 64]",
        "bench aeron --mode dispatch --dtype fp4 | --dtype fp4",
        "bench aeron --csv --json | --csv is not allowed with --json",
        "bench aeron --check --chunks | --chunks is not allowed between the ranks of a world",
        "bench aeron --check --staging | --staging is not allowed between the ranks of a world",
        "bench aeron --staging | --staging: transport aeron has no devices",
        "bench nvlink --staging --ranks 2 | --staging measures one rank and its device: leave out --ranks 2",
        "bench aeron --check --report no/a.html | there is no folder",
        "bench aeron --rank 0 --world 2 --rendezvous localhost:1 --ranks 2 | --ranks 2 is not allowed: Transload says",
        "bench aeron --timeout 5 --check | --timeout 5 is not allowed",
        "bench teleport --check | unknown transport 'teleport'",
        "bench teleport | unknown transport 'teleport'",
        "bench | NAME",
        "conformance aeron --devices 0,1 | --devices: transport aeron has host memory only",
        "conformance aeron --rule ORD-99 | --rule ORD-99 is not allowed: must be one of ADD-1, ADD-2",
        "conformance aeron --check warp | --check warp is not allowed: must be one of put-patterns, rows-random",
        "conformance aeron --check adds | --check adds is not allowed without --devices",
        "conformance aeron --repeat 0 | --repeat 0 is not allowed: must be positive",
        "doctor --scale-up teleport | unknown transport 'teleport'",
        "doctor --nodes 0 | transload.nodes = 0",
        "plan --link fast | --link fast is not allowed: must be a rate above 0 such as 50GB/s or 400Gbit/s",
        "plan --scale-up 0GB/s | --scale-up 0GB/s is not allowed",
        "plan --scale-out ucx | plan has no --scale-out (commands that have it: run, tune, doctor)",
        "plan --tokens -1 | --tokens -1",
        "plan --trace none.jsonl | none.jsonl: there is no such file",
        "conformance teleport | unknown transport 'teleport'",
        "tune --budget soon | --budget soon is not allowed: must be a positive duration with its unit",
        "tune --budget 1 | --budget 1 is not allowed: must be a positive duration with its unit, e.g. 30s",
        "tune --budget 0s | --budget 0s",
        "tune --out none/tuned.conf | --out none/tuned.conf: must be a file in a folder",
        "tune --nodes 0 | transload.nodes = 0",
        "tune --iterations 3 | --iterations",
        "tune --mode fast | --mode fast is not allowed: must be normal or low-latency",
        "tune --max-tokens 64 | --max-tokens is not allowed: it needs --mode low-latency",
        "tune --mode low-latency --max-tokens 0 | transload.low-latency.max-tokens = 0",
        "tune --mode low-latency --channels 65 | transload.low-latency.channels = 65",
        "tune --mode low-latency --hidden 200 | hidden = 200 is not allowed: must be a positive multiple of 128",
        "run --nonsense | --nonsense",
        "run --itterations 3 | did you mean --iterations",
        "conformence aeron | did you mean conformance",
        "dance | dance" })
    void shouldRefuseInOneSentence(final String line, final String named)
    {
        final int[] exitCode = new int[1];
        final String said = saidBy(() -> exitCode[0] = Main.run(line.trim().split(" +"), false));

        assertEquals(ExitCodes.BAD_INPUT, exitCode[0], said);
        assertEquals(1, said.lines().count(), said);
        assertTrue(said.startsWith("transload: "), said);
        assertTrue(said.contains(named), said);
    }

    @Test
    void shouldNameItsVersionAndCommit()
    {
        final String said = saidOnOutput(() -> Main.run(new String[]{ "--version" }, false));

        assertTrue(said.matches("transload [0-9][^,]*, commit ([0-9a-f]{7,40}(-dirty)?|unknown), Java .*\\R"), said);
    }

    @Test
    void shouldPrintACompletionScriptWithAllCommands()
    {
        final String said = saidOnOutput(() -> Main.run(new String[]{ "generate-completion" }, false));

        for (final String command : List.of("run", "transports", "conformance", "bench", "tune", "plan", "doctor",
            "help"))
        {
            assertTrue(said.contains("_picocli_transload_" + command), command);
        }
    }

    @Test
    void shouldTellWhatAMachineLacks() throws JsonProcessingException
    {
        final int[] exitCode = new int[1];
        final String said = saidOnOutput(() ->
            exitCode[0] = Main.run(new String[]{ "doctor", "--scale-up", "hccs", "--json" }, false));

        final JsonNode report = new ObjectMapper().readTree(said);
        assertEquals(ExitCodes.UNAVAILABLE, exitCode[0], said);
        assertFalse(report.get("usable").asBoolean(), said);
        final JsonNode hop = StreamSupport.stream(report.get("findings").spliterator(), false)
            .filter((finding) -> "scale-up".equals(finding.get("name").asText())).findFirst().orElseThrow();
        assertEquals("fail", hop.get("status").asText(), said);
        assertTrue(hop.get("found").asText().startsWith("hccs is unavailable because "), said);
    }

    @Test
    void shouldExamineAWorldOfUnequalNodes() throws JsonProcessingException
    {
        final String said =
            saidOnOutput(() -> Main.run(new String[]{ "doctor", "--ranks-per-node", "2,1,2", "--json" }, false));

        assertTrue(said.contains(" for 5 ranks of this host"), said);
    }

    @Test
    void shouldListTransports()
    {
        assertEquals(ExitCodes.DONE, Main.run(new String[]{ "transports" }, false));
    }

    @ParameterizedTest
    @ValueSource(strings = { "--version", "transports" })
    void shouldNotCallDoneWhatCouldNotBeWritten(final String command)
    {
        final int[] exitCode = new int[1];
        final String said = with(new FullDisk(), () -> exitCode[0] = Main.run(new String[]{ command }, false));

        assertEquals(ExitCodes.UNAVAILABLE, exitCode[0], said);
        assertEquals("transload: standard output cannot be written, the result is lost: No space left on device",
            said.strip());
    }

    @Test
    void shouldSayOneSentenceOfAnError()
    {
        final int[] exitCode = new int[1];
        final String said = with(new OutputStream()
        {
            @Override
            public void write(final int value)
            {
                throw new StackOverflowError();
            }
        }, () -> exitCode[0] = Main.run(new String[]{ "--version" }, false));

        assertEquals(ExitCodes.FAILED, exitCode[0], said);
        assertEquals("transload: StackOverflowError (unexpected; --verbose shows where)", said.strip());
    }

    /** As /dev/full. */
    private static final class FullDisk extends OutputStream
    {
        @Override
        public void write(final int value) throws IOException
        {
            throw new IOException("No space left on device");
        }
    }

    private static String with(final OutputStream result, final Runnable command)
    {
        StandardStreams.redirect(result);
        try
        {
            return saidBy(command);
        }
        finally
        {
            StandardStreams.redirect(new FileOutputStream(FileDescriptor.out));
        }
    }

    private static String saidOnOutput(final Runnable command)
    {
        final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        with(bytes, command);
        return bytes.toString(StandardCharsets.UTF_8);
    }

    private static String saidBy(final Runnable command)
    {
        final PrintStream before = System.err;
        final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        System.setErr(new PrintStream(bytes, true, StandardCharsets.UTF_8));
        try
        {
            command.run();
        }
        finally
        {
            System.setErr(before);
        }

        return bytes.toString(StandardCharsets.UTF_8);
    }
}
