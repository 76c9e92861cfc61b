/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.transload.cli.outcome.ExitCodes;
import dev.transload.gate.Thorough;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Ranks over UCX that die, and UCX that cannot be used: one sentence that names it, and an exit code. */
@Timeout(300)
class UcxFailureIT
{
    private static final List<String> SMALL = List.of("run", "--json", "--tokens", "16", "--hidden", "128",
        "--experts", "12", "--topk", "2", "--scale-out", "ucx", "--scale-up", "ucx", "-Dtransload.kernels.mode=scalar");
    private static final List<String> ENDLESS = List.of("--iterations", "1000000", "--timeout", "60s");

    private final List<Program> programs = new ArrayList<>();

    @TempDir
    private Path folder;

    @BeforeAll
    static void shouldHaveUcx()
    {
        UcxHost.require();
    }

    @AfterEach
    void endWhatStillRuns()
    {
        programs.forEach((program) -> program.process().destroyForcibly());
    }

    @Test
    void shouldNameARankThatIsKilledInMidRun() throws Exception
    {
        nameARankThatIsKilled("posix,self");
    }

    @Test
    @Thorough("over shared memory in the gate; PeerDeathIT has dead peers over TCP")
    void shouldNameARankThatIsKilledInMidRunOverTcp() throws Exception
    {
        nameARankThatIsKilled("tcp,self");
    }

    private void nameARankThatIsKilled(final String transports) throws Exception
    {
        final Program program = start("run", transports, Map.of());
        Waiting.until("four ranks exchange",
            () -> 4 == program.ranks().stream().filter(this::isExchanging).count());
        final List<ProcessHandle> ranks = program.ranks();
        final ProcessHandle victim =
            ranks.stream().filter((rank) -> RankProcesses.isRank(rank, 2)).findFirst().orElseThrow();
        victim.destroyForcibly();
        final Program.End end = program.end();

        assertEquals(ExitCodes.PEER_FAILED, end.exitCode(), end.err());
        assertEquals(1, end.sentences().size(), end.err());
        assertTrue(end.sentences().get(0).contains("rank 2 (pid " + victim.pid() + ") was ended by SIGKILL"),
            end.err());
        assertEquals("", end.out());
        assertTrue(ranks.stream().noneMatch(ProcessHandle::isAlive));
        assertEquals(List.of(), program.left());
    }

    /** Nobody watches their processes, so the survivors must find out, long before the deadline of the call. */
    @Test
    void shouldBeNamedByTheSurvivors() throws Exception
    {
        beNamedByTheSurvivors("tcp,self");
    }

    @Test
    @Thorough("over TCP in the gate; PeerDeathIT has dead peers over shared memory")
    void shouldBeNamedByTheSurvivorsOverSharedMemory() throws Exception
    {
        beNamedByTheSurvivors("posix,self");
    }

    private void beNamedByTheSurvivors(final String transports) throws Exception
    {
        final String address = LocalPort.freeAddress();
        final List<Program> ranks = new ArrayList<>();
        for (int rank = 0; rank < 3; rank++)
        {
            ranks.add(start("rank-" + rank, transports, Map.of("TRANSLOAD_RANK", String.valueOf(rank),
                "TRANSLOAD_WORLD_SIZE", "3", "TRANSLOAD_RENDEZVOUS", address)));
        }

        Waiting.until("three ranks exchange",
            () -> ranks.stream().allMatch((rank) -> isExchanging(rank.process().toHandle())));
        ranks.get(1).process().destroyForcibly();
        ranks.get(1).end();
        for (final Program survivor : List.of(ranks.get(0), ranks.get(2)))
        {
            final Program.End end = survivor.end();
            assertEquals(ExitCodes.PEER_FAILED, end.exitCode(), end.err());
            assertEquals(1, end.sentences().size(), end.err());
            assertTrue(end.sentences().get(0).contains("rank 1"), end.err());
            assertFalse(end.sentences().get(0).contains("60 s"), end.err());
        }
    }

    @Test
    void shouldRefuseWaysThatUcxDoesNotHave() throws Exception
    {
        final List<String> options = SmallRun.HAS_PROCESSES ? List.of("--timeout", "60s") :
            List.of("--timeout", "60s", "--in-process");
        final Program.End end = Program.start(folder, List.of(), UcxHost.variables("nonsense"), args(options)).end();

        assertEquals(ExitCodes.UNAVAILABLE, end.exitCode(), end.err());
        assertEquals(1, end.sentences().size(), end.err());
        assertTrue(end.sentences().get(0).contains("transports nonsense"), end.err());
        assertEquals("", end.out());
    }

    /** Started so that {@link #isExchanging} can tell. */
    private Program start(final String name, final String transports, final Map<String, String> place) throws Exception
    {
        final Map<String, String> variables = UcxHost.variables(transports);
        variables.putAll(place);
        variables.merge(UcxHost.JVM_FLAGS, RankProcesses.tellingFlag(folder), (before, flag) -> before + " " + flag);
        final Program program =
            Program.start(Files.createDirectories(folder.resolve(name)), List.of(), variables, args(ENDLESS));
        programs.add(program);
        return program;
    }

    private boolean isExchanging(final ProcessHandle rank)
    {
        return RankProcesses.hasReceived(rank, folder);
    }

    private static String[] args(final List<String> options)
    {
        final List<String> args = new ArrayList<>(SMALL);
        args.addAll(options);
        return args.toArray(String[]::new);
    }
}
