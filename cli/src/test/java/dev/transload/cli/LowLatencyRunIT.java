/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.transload.cli.input.InputOptions;
import dev.transload.cli.launch.LocalThreads;
import dev.transload.cli.launch.Progress;
import dev.transload.cli.launch.RanksResult;
import dev.transload.cli.lowlatency.LowLatencyRank;
import dev.transload.cli.lowlatency.LowLatencyTask;
import dev.transload.cli.outcome.ExitCodes;
import dev.transload.cli.settings.Settings;
import dev.transload.cli.tensor.ElementKind;
import dev.transload.cli.tensor.SafetensorsReader;
import dev.transload.cli.tensor.TensorInfo;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The low-latency mode as a person runs it. */
@Timeout(300)
class LowLatencyRunIT
{
    private static final String[] SMALL = { "run", "--json", "--mode", "low-latency", "--tokens", "24", "--hidden",
        "128", "--experts", "18", "--topk", "4", "--max-tokens", "10", "-Dtransload.kernels.mode=scalar", "--timeout",
        "120s" };

    @TempDir
    private Path folder;

    @Test
    void shouldVerifyTheShippedTraceByDefault() throws Exception
    {
        final Program program = Program.startShort(
            folder, "run", "--mode", "low-latency", "--json", "--hidden", "256", "--timeout", "120s");
        final JsonNode json = verified(program.end());
        assertEquals(List.of(), program.left());

        assertEquals(4357, json.get("tokens").asInt());
        assertEquals("low-latency", json.get("mode").asText());
        assertEquals(128, json.get("max_tokens").asInt());
        assertEquals(9, json.get("calls").asInt());
        assertEquals(0, json.get("masked").size());
        assertTrue(json.at("/dispatch/scale_out_bytes").asLong() > 0);
    }

    @ParameterizedTest
    @CsvSource({ "1, 3, fp8, ''", "2, 2, bf16, transload.aeron.data-path=messages", "5, 1, fp8, ''" })
    void shouldVerifyOverAeron(final int nodes, final int ranksPerNode, final String dtype, final String key)
        throws Exception
    {
        final List<String> options = new ArrayList<>(List.of("--iterations", "3", "--dtype", dtype, "--nodes",
            String.valueOf(nodes), "--ranks-per-node", String.valueOf(ranksPerNode)));
        if (!key.isEmpty())
        {
            options.add("-D" + key);
        }

        verified(end(options));
    }

    @Test
    void shouldLeaveAWarmupOutOfAllFigures() throws Exception
    {
        final JsonNode json = verified(end(List.of("--dtype", "fp8", "--warmup", "5", "--iterations", "1")));
        final JsonNode cold = verified(end(List.of("--dtype", "fp8")));

        assertEquals(1, json.get("iterations").asInt());
        assertEquals(5, json.get("warmup").asInt());
        assertEquals(0, cold.get("warmup").asInt());
        assertEquals(3, json.get("calls").asInt());
        // Of three samples, the first half is left out, and the last one.
        assertEquals(1, json.at("/dispatch_and_combine/wall_micros_per_iteration/iterations").asInt());
        assertEquals(cold.get("rows_received"), json.get("rows_received"));
        for (final String bytes : List.of("scale_out_bytes", "scale_up_bytes"))
        {
            assertEquals(cold.get("dispatch").get(bytes), json.get("dispatch").get(bytes));
            assertEquals(cold.get("combine").get(bytes), json.get("combine").get(bytes));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = { "posix,self", "tcp,self" })
    void shouldVerifyOverUcx(final String ways) throws Exception
    {
        UcxHost.require();
        verified(SmallRun.end(folder, UcxHost.variables(ways),
            args(List.of("--scale-out", "ucx", "--scale-up", "ucx", "--channels", "2"))));
    }

    /** As over a network card without atomics: signals are puts of totals. */
    @Test
    void shouldDeliverTheSameBytesOverUcxWithoutAtomics() throws Exception
    {
        UcxHost.require();
        for (final String atomics : List.of("ucx", "none"))
        {
            verified(SmallRun.end(folder, UcxHost.variables("tcp,self"), args(List.of("--scale-out", "ucx",
                "--scale-up", "ucx", "--channels", "2", "--iterations", "3", "-Dtransload.ucx.atomics=" + atomics,
                "--output", folder.resolve(atomics).toString()))));
        }

        for (int rank = 0; rank < 4; rank++)
        {
            final String name = String.format("rank-%04d.safetensors", rank);
            assertEquals(-1, Files.mismatch(folder.resolve("ucx").resolve(name), folder.resolve("none").resolve(name)),
                name);
        }
    }

    @ParameterizedTest
    @CsvSource({ "nvlink, nvlink, bf16", "nvlink, nvlink, fp8", "hccs, hccs, bf16" })
    void shouldVerifyOverEmulatedDevices(final String scaleOut, final String scaleUp, final String dtype)
        throws Exception
    {
        CudaEmulator.require();
        final JsonNode json = verified(
            end(List.of("--emulate", "--scale-out", scaleOut, "--scale-up", scaleUp, "--dtype", dtype)));

        assertTrue(json.get("emulated").asBoolean());
        assertTrue(json.get("steps").asText().matches("nvlink".equals(scaleUp) ? "device, \\d+ blocks" :
            "thread: rank 0: .*"), json.get("steps").asText());
    }

    /** Rows for far ranks leave device memory by the device's steps, and are those that threads send. */
    @ParameterizedTest
    @CsvSource({
        "aeron, never, bf16, ''", "aeron, node, fp8, ''", "ucx, never, fp8, 'posix,self'",
        "ucx, never, bf16, 'tcp,self'", "ucx, node, bf16, 'posix,self'" })
    void shouldDeliverTheBytesOfHostStepsToFarDevices(
        final String scaleOut, final String near, final String dtype, final String ways) throws Exception
    {
        CudaEmulator.require();
        final Map<String, String> variables = "ucx".equals(scaleOut) ? UcxHost.variables(ways) : Map.of();
        if ("ucx".equals(scaleOut))
        {
            UcxHost.require();
        }

        final Path expected = folder.resolve("host");
        final Path output = folder.resolve("device");
        verified(end(List.of("--dtype", dtype, "--iterations", "2", "--output", expected.toString())));
        final JsonNode json = verified(SmallRun.end(folder, variables, args(List.of(
            "--emulate", "--scale-out", scaleOut, "--scale-up", "nvlink", "-Dtransload.low-latency.near=" + near,
            "--dtype", dtype, "--iterations", "2", "--output", output.toString()))));
        assertTrue(json.get("steps").asText().matches("device, \\d+ blocks"), json.get("steps").asText());
        for (int rank = 0; rank < 4; rank++)
        {
            final String name = String.format("rank-%04d.safetensors", rank);
            assertEquals(-1, Files.mismatch(expected.resolve(name), output.resolve(name)), name);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = { "corrupt-row", "swap-rows", "drop-row" })
    void shouldFailAndNameTheRowThatIsSpoiled(final String injection) throws Exception
    {
        final Program.End end = end(List.of("--inject", injection));

        assertEquals(ExitCodes.FAILED, end.exitCode(), end.err());
        assertEquals(1, end.sentences().size(), end.err());
        assertTrue(end.sentences().get(0).matches(
            "transload: verification failed: rank \\d, call 2, expert \\d+, row \\d+.*"), end.err());
    }

    @Test
    void shouldRefuseMoreMemoryThanThereIs() throws Exception
    {
        final Program.End end = SmallRun.end(folder, Map.of(), "run", "--mode", "low-latency", "--tokens", "1",
            "--hidden", "65536", "--experts", "4096", "--max-tokens", "16384");

        assertEquals(ExitCodes.UNAVAILABLE, end.exitCode(), end.err());
        assertEquals(1, end.sentences().size(), end.err());
        assertTrue(end.sentences().get(0).matches(
            "transload: --max-tokens 16384 needs .* GB of shared memory .*at most about \\d+ tokens fit"), end.err());
    }

    @Test
    void shouldWriteTheLastCall() throws Exception
    {
        final Path output = folder.resolve("output");
        verified(end(List.of("--dtype", "fp8", "--output", output.toString())));
        try (SafetensorsReader reader = SafetensorsReader.open(output.resolve("rank-0001.safetensors")))
        {
            assertEquals("18", reader.metadata().get("num_experts"));
            assertEquals(new TreeSet<>(List.of("x", "topk_idx", "topk_weights", "recv_x", "recv_x_scales",
                "recv_count", "recv_src_info", "recv_layout_range", "combined_x")),
                new TreeSet<>(reader.tensors().keySet()));
            for (final TensorInfo info : List.of(
                TensorInfo.of("x", ElementKind.BF16, 4, 128), TensorInfo.of("topk_idx", ElementKind.I64, 4, 4),
                TensorInfo.of("recv_x", ElementKind.F8_E4M3, 5, 40, 128),
                TensorInfo.of("recv_x_scales", ElementKind.F32, 5, 40, 1),
                TensorInfo.of("recv_count", ElementKind.I32, 5), TensorInfo.of("recv_src_info", ElementKind.I32, 5, 40),
                TensorInfo.of("recv_layout_range", ElementKind.I64, 5, 4),
                TensorInfo.of("combined_x", ElementKind.BF16, 4, 128)))
            {
                assertEquals(info, reader.tensors().get(info.name()));
            }
        }

        final Path again = folder.resolve("again");
        verified(SmallRun.end(folder, Map.of(), "run", "--json", "--mode", "low-latency", "--max-tokens", "10",
            "--dtype", "fp8", "--input", output.toString(), "--output", again.toString(), "--timeout", "120s"));
        for (int rank = 0; rank < 4; rank++)
        {
            final String name = String.format("rank-%04d.safetensors", rank);
            assertEquals(-1, Files.mismatch(output.resolve(name), again.resolve(name)), name);
        }
    }

    /** What the engine takes of the heap within a dispatch and its combine, once warm. */
    @Test
    void shouldAllocateNothingInCalls()
    {
        final Settings settings = Settings.load(null, Map.of(), Map.of(), Map.of()).withDefaults(Map.of(
            "transload.scale-out.transport", "aeron", "transload.scale-up.transport", "aeron",
            "transload.nodes", "1", "transload.ranks-per-node", "2", "transload.max-hidden", "128",
            "transload.max-topk", "4", "transload.max-experts", "16", "transload.low-latency.max-tokens", "16",
            "transload.timeouts.call", "120s"));
        final LowLatencyTask task =
            LowLatencyTask.of(new InputOptions(null, 16, null, 16, 4, 128, null, 3), 2000, 2000, "distinct", false,
                null, null);
        final RanksResult result = new LocalThreads(Progress.NONE)
            .run(new LowLatencyRank(), new ObjectMapper().valueToTree(task), settings, 2);

        assertEquals(ExitCodes.DONE, result.outcome().exitCode(), result.outcome().sentence());
        for (final JsonNode report : result.reports())
        {
            assertTrue(report.get("failure").isNull(), report.get("failure").asText());
            assertEquals(0.0, report.get("allocatedBytes").asDouble());
        }
    }

    private Program.End end(final List<String> options) throws Exception
    {
        return SmallRun.end(folder, Map.of(), args(options));
    }

    private static JsonNode verified(final Program.End end) throws Exception
    {
        assertEquals(ExitCodes.DONE, end.exitCode(), end.err());
        CliReference.assertValid("transload run", end.json());
        assertTrue(end.json().get("verified").asBoolean());
        return end.json();
    }

    private static String[] args(final List<String> options)
    {
        final List<String> args = new ArrayList<>(Arrays.asList(SMALL));
        args.addAll(options);
        return args.toArray(String[]::new);
    }
}
