/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.tck.processes;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.transload.spi.Access;
import dev.transload.spi.Channel;
import dev.transload.spi.MemoryKind;
import dev.transload.spi.MemoryRegion;
import dev.transload.spi.PeerFailedException;
import dev.transload.spi.RemoteRegion;
import dev.transload.spi.RowList;
import dev.transload.spi.Transport;
import dev.transload.spi.TransportConfig;
import dev.transload.spi.TransportProvider;
import dev.transload.spi.Worker;
import dev.transload.tck.stepping.SteppingElsewhere;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Processes of ranks: what comes back from them, and that they end. */
class ProcessesFixtureTest
{
    private static final long DEADLINE_S = 30;

    @ParameterizedTest
    @ValueSource(strings =
        {"argument", "bounds", "state", "unsupported", "capability", "peer", "unavailable", "configuration"})
    void shouldThrowHereWhatWasThrownThere(final String trouble)
    {
        final RuntimeException expected = TroubledProvider.troubles().get(trouble);
        try (ProcessesFixture fixture = new ProcessesFixture(TroubledProvider.class, Map.of("trouble", trouble)))
        {
            final RuntimeException thrown = assertThrows(expected.getClass(), () -> openRankOne(fixture));
            assertEquals(expected.getMessage(), thrown.getMessage());
            if (thrown instanceof PeerFailedException failed)
            {
                assertEquals(3, failed.peer());
                assertEquals(-80, failed.nativeStatus());
                assertEquals("a cause", failed.getCause().getMessage());
            }
        }
    }

    @Test
    void shouldTellOfWhatCannotBeSent()
    {
        try (ProcessesFixture fixture = new ProcessesFixture(TroubledProvider.class, Map.of("trouble", "odd")))
        {
            final AssertionError thrown = assertThrows(AssertionError.class, () -> openRankOne(fixture));
            assertTrue(thrown.getMessage().contains("it holds an object"), thrown.getMessage());
        }
    }

    @Test
    void shouldTakeACrashForAnErrorAndNotForARefusal()
    {
        final ProcessesFixture fixture = new ProcessesFixture(TroubledProvider.class, Map.of("trouble", "crash"));
        final AssertionError thrown = assertThrows(AssertionError.class, () -> openRankOne(fixture));
        assertTrue(thrown.getMessage().contains("rank 1") && thrown.getMessage().contains("asked for Rank.open") &&
            thrown.getMessage().contains("status " + TroubledProvider.CRASH_STATUS), thrown.getMessage());
        assertThrows(AssertionError.class, fixture::close);
    }

    @Test
    void shouldRefuseAProviderThatNobodyElseCanMake()
    {
        final IllegalArgumentException thrown = assertThrows(IllegalArgumentException.class,
            () -> new ProcessesFixture(TransportProvider.class, Map.of()));
        assertTrue(thrown.getMessage().contains(TransportProvider.class.getName()), thrown.getMessage());
    }

    @Test
    void shouldRefuseMemoryAndListsOfOtherProcesses()
    {
        final RankProcess one = RankPool.shared().take("one");
        final RankProcess two = RankPool.shared().take("two");
        final Transport transport = one.open(SteppingElsewhere.class, config(0));
        final MemoryRegion region = transport.allocate(MemoryKind.HOST, 0, 64, Access.REMOTE);
        final Worker worker = transport.openWorker(0);
        final RemoteRegion remote = worker.importRegion(0, region.descriptor());
        final Channel channel = worker.connect(0, 1, worker.address());
        final MemoryRegion foreign = two.open(SteppingElsewhere.class, config(0))
            .allocate(MemoryKind.HOST, 0, 64, Access.LOCAL);
        final IllegalArgumentException thrown =
            assertThrows(IllegalArgumentException.class, () -> channel.put(foreign, 0, remote, 0, 8));
        assertEquals(foreign + " does not belong to one (process " + one.pid() + ")", thrown.getMessage());
        assertTrue(foreign.toString().startsWith("MemoryRegion "), foreign::toString);
        final RowList own = new RowList(ByteBuffer.allocateDirect(RowList.STRIDE), 1);
        assertThrows(IllegalArgumentException.class, () -> channel.putRows(region, remote, own, 0, 1));
        assertNotEquals(region, foreign);
        assertThrows(UnsupportedOperationException.class, () -> region.hostView(0, 8));
        assertThrows(UnsupportedOperationException.class,
            () -> transport.register(MemoryKind.HOST, 0, region.address(), 64, Access.LOCAL));
        RankPool.shared().giveBack(one);
        RankPool.shared().giveBack(two);
    }

    @Test
    void shouldUseAProcessAgainUnlessItWasKilled()
    {
        final RankProcess first = RankPool.shared().take("the first");
        RankPool.shared().giveBack(first);
        final RankProcess again = RankPool.shared().take("the second");
        assertEquals(first.pid(), again.pid());
        again.kill();
        assertFalse(ProcessHandle.of(again.pid()).map(ProcessHandle::isAlive).orElse(false));
        assertThrows(AssertionError.class, again::reset);
        RankPool.shared().giveBack(again);
        final RankProcess third = RankPool.shared().take("the third");
        assertNotEquals(again.pid(), third.pid());
        RankPool.shared().giveBack(third);
    }

    @Test
    void shouldKillRanksThatHaveAProcessAndNoOthers()
    {
        try (ProcessesFixture fixture = new ProcessesFixture(TroubledProvider.class, Map.of("trouble", "state")))
        {
            assertFalse(fixture.kill(0));
            assertThrows(IllegalStateException.class, () -> openRankOne(fixture));
            assertTrue(fixture.kill(1));
        }
    }

    @Test
    void shouldTellOfAProcessThatDidNotEndWell()
    {
        assertEquals(List.of(), ProcessesFixture.endProcesses());
        try (ProcessesFixture fixture = new ProcessesFixture(TroubledProvider.class, Map.of("trouble", "end")))
        {
            assertThrows(IllegalStateException.class, () -> openRankOne(fixture));
        }

        final List<String> troubles = ProcessesFixture.endProcesses();
        assertEquals(1, troubles.size(), troubles::toString);
        assertTrue(troubles.get(0).endsWith(" ended with status " + TroubledProvider.CRASH_STATUS), troubles::toString);
        assertEquals(List.of(), ProcessesFixture.endProcesses());
    }

    @Test
    void shouldEndWithTheProcessThatStartedIt() throws Exception
    {
        final Process parent = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-Xmx64m", "-cp", System.getProperty("java.class.path"), OrphanMain.class.getName())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
        final long orphan = Long.parseLong(
            new BufferedReader(new InputStreamReader(parent.getInputStream(), StandardCharsets.US_ASCII)).readLine());
        final ProcessHandle handle = ProcessHandle.of(orphan).orElseThrow();
        parent.destroyForcibly().waitFor();
        handle.onExit().get(DEADLINE_S, TimeUnit.SECONDS);
        assertFalse(handle.isAlive());
    }

    private static void openRankOne(final ProcessesFixture fixture)
    {
        fixture.provider().open(TransportConfig.builder()
            .rank(1).worldSize(2).options(fixture.options(1)).build()).close();
    }

    private static TransportConfig config(final int rank)
    {
        return TransportConfig.builder().rank(rank).worldSize(1).build();
    }
}
