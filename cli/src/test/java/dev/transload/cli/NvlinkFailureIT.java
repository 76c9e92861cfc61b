/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.transload.cli.outcome.ExitCodes;
import dev.transload.gate.Thorough;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Ranks with (emulated) GPUs that die, and GPUs that cannot be used: one sentence that names it, and an exit code. */
@Timeout(300)
class NvlinkFailureIT
{
    private static final List<String> SMALL = List.of("run", "--json", "--nodes", "1", "--tokens", "16", "--hidden",
        "128", "--experts", "12", "--topk", "2", "--scale-up", CudaEmulator.NAME, "-Dtransload.kernels.mode=scalar");

    private final List<Program> programs = new ArrayList<>();

    @TempDir
    private Path folder;

    @AfterEach
    void endWhatStillRuns()
    {
        programs.forEach((program) -> program.process().destroyForcibly());
    }

    @Test
    void shouldNameARankThatIsKilledInMidRun() throws Exception
    {
        nameAKilledRank("direct");
    }

    @Test
    @Thorough("peers store into its output in the gate")
    void shouldNameARankThatIsKilledWhilePeersStoreIntoItsRings() throws Exception
    {
        nameAKilledRank("ring");
    }

    private void nameAKilledRank(final String placement) throws Exception
    {
        CudaEmulator.require();
        final Program program = start(Map.of(UcxHost.JVM_FLAGS, RankProcesses.tellingFlag(folder)), "--ranks-per-node",
            "3", "--emulate", "--iterations", "1000000", "--timeout", "60s", "-Dtransload.placement=" + placement);
        Waiting.until("three ranks exchange", () -> 3 == program.ranks().stream()
            .filter((rank) -> RankProcesses.hasReceived(rank, folder)).count());
        final List<ProcessHandle> ranks = program.ranks();
        final ProcessHandle victim =
            ranks.stream().filter((rank) -> RankProcesses.isRank(rank, 1)).findFirst().orElseThrow();
        victim.destroyForcibly();
        final Program.End end = program.end();

        assertEquals(ExitCodes.PEER_FAILED, end.exitCode(), end.err());
        assertEquals(1, end.sentences().size(), end.err());
        assertTrue(end.sentences().get(0).contains("rank 1 (pid " + victim.pid() + ") was ended by SIGKILL"),
            end.err());
        assertEquals("", end.out());
        assertTrue(ranks.stream().noneMatch(ProcessHandle::isAlive));
        assertEquals(List.of(), program.left());
    }

    @Test
    void shouldSayWhatBringsAMissingDriver() throws Exception
    {
        final Program.End end = end(Map.of(), "--timeout", "60s", "-Dtransload.nvlink.library=libcuda-none.so.1");

        assertUnavailable(end, "the CUDA driver libcuda-none.so.1 cannot be opened", "install NVIDIA's driver");
    }

    @Test
    void shouldRefuseADeviceThatIsNotThere() throws Exception
    {
        CudaEmulator.require();
        final Program.End end =
            end(Map.of(), "--timeout", "60s", "--emulate", "-Dtransload.payload.device=7");

        assertUnavailable(end, "there is no device 7", "this process sees 2");
    }

    @Test
    void shouldSayHowMuchMemoryADeviceLacks() throws Exception
    {
        CudaEmulator.require();
        final Program.End end = end(
            Map.of("TRANSLOAD_CUDA_EMULATOR_MEMORY", String.valueOf(1 << 20)), "--timeout", "60s", "--emulate");

        assertUnavailable(end, "bytes were asked for on device", "are free");
    }

    /** The first allocation is a small one: another process has all of the device. */
    @Test
    void shouldSayThatADeviceIsFull() throws Exception
    {
        CudaEmulator.require();
        final Program.End end = end(
            Map.of("TRANSLOAD_CUDA_EMULATOR_FAULTS", "cuMemAlloc_v2:1=2"), "--timeout", "60s", "--emulate");

        assertUnavailable(end, "CUDA_ERROR_OUT_OF_MEMORY", "device", "end what else uses the device");
    }

    /** Long before the deadline of the call. */
    @ParameterizedTest
    @CsvSource({ "launch:20=719, CUDA_ERROR_LAUNCH_FAILED", "launch:2=hang, CUDA_ERROR_LAUNCH_TIMEOUT" })
    void shouldNameADeviceThatFails(final String fault, final String error) throws Exception
    {
        CudaEmulator.require();
        final Program.End end = end(Map.of("TRANSLOAD_CUDA_EMULATOR_FAULTS", fault), "--timeout", "120s", "--emulate",
            "--iterations", "1000", "-Dtransload.nvlink.timeout-ms=500");

        assertEquals(ExitCodes.FAILED, end.exitCode(), end.err());
        final String last = end.sentences().get(end.sentences().size() - 1);
        assertTrue(last.matches(".*device [01] \\(Emulated GPU.*" + error + ".*"), end.err());
    }

    private static void assertUnavailable(final Program.End end, final String... parts)
    {
        assertEquals(ExitCodes.UNAVAILABLE, end.exitCode(), end.err());
        assertEquals(1, end.sentences().size(), end.err());
        for (final String part : parts)
        {
            assertTrue(end.sentences().get(0).contains(part), end.err());
        }

        assertEquals("", end.out());
    }

    /** Of two ranks, which are processes in the thorough run, and threads of the program in the gate. */
    private Program.End end(final Map<String, String> environment, final String... options) throws Exception
    {
        final List<String> all = new ArrayList<>(List.of("--ranks-per-node", "2"));
        all.addAll(List.of(options));
        if (!SmallRun.HAS_PROCESSES)
        {
            all.add("--in-process");
        }

        return start(environment, all.toArray(String[]::new)).end();
    }

    private Program start(final Map<String, String> environment, final String... options) throws Exception
    {
        final Map<String, String> variables = new HashMap<>(UcxHost.SHORT_RUN);
        environment.forEach((name, value) -> variables.merge(name, value, (before, more) -> before + " " + more));
        final List<String> args = new ArrayList<>(SMALL);
        args.addAll(List.of(options));
        final Program program = Program.start(folder, List.of(), variables, args.toArray(String[]::new));
        programs.add(program);
        return program;
    }
}
