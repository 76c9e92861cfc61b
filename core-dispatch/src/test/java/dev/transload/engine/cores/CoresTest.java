/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.cores;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.transload.natives.BundledLibrary;
import dev.transload.rendezvous.InMemoryRendezvous;
import dev.transload.spi.ConfigurationException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Cores are read, divided, refused, and threads tied to them. */
class CoresTest
{
    private static final Path OWN_THREAD = Path.of("/proc/thread-self/status");

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {"0-3,6 | 5 | 0-3,6", "6, 0-1 ,2 | 4 | 0-2,6", "70 | 1 | 70", "'' | 0 | ''"})
    void shouldReadAndWriteTheNotationOfLinux(final String text, final int size, final String written)
    {
        final CoreSet cores = CoreSet.parse(text);
        assertEquals(size, cores.size());
        assertEquals(written, cores.toString());
        assertEquals(cores, CoreSet.parse(cores.toString()));
    }

    @ParameterizedTest
    @ValueSource(strings = {"3-1", "-1", "a", "1,,2", "1-", "1-2-3", "123456"})
    void shouldRefuseWhatIsNoSetOfCores(final String text)
    {
        assertThrows(IllegalArgumentException.class, () -> CoreSet.parse(text));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "0-7 | 2 | 0-3 4-7", "0-7 | 3 | 0-1 2-4 5-7", "2,5 | 4 | 2 2 5 5", "4-6 | 3 | 4 5 6", "9 | 2 | 9 9"})
    void shouldDivideCoresEvenly(final String cores, final int shares, final String wanted)
    {
        final List<String> parts = new ArrayList<>();
        for (int i = 0; i < shares; i++)
        {
            parts.add(CoreSet.parse(cores).share(i, shares).toString());
        }

        assertEquals(List.of(wanted.split(" ")), parts);
    }

    @ParameterizedTest
    @CsvSource({"0, 0, 0-1", "0, 1, 2-3", "1, 0, 4-5", "1, 1, 6-7"})
    void shouldDivideAmongRanksThenThreads(final int index, final int thread, final String wanted)
    {
        final HostShare host = new HostShare(8, 2, index, CoreSet.parse("0-7"));
        assertEquals(wanted, CoreChoice.AUTO.of(host, thread, 2).toString());
        assertTrue(CoreChoice.NONE.of(host, thread, 2).isEmpty());
    }

    @ParameterizedTest
    @CsvSource({"0, 0, 0-3", "0, 1, 6", "1, 0, 5", "1, 1, 0-3"})
    void shouldDealAListToThreadsInTurn(final int index, final int thread, final String wanted)
    {
        final CoreChoice choice = new CoreChoice(
            false, List.of(CoreSet.parse("0-3"), CoreSet.parse("6"), CoreSet.parse("5")));
        assertEquals(wanted, choice.of(new HostShare(8, 2, index, CoreSet.EMPTY), thread, 2).toString());
    }

    @Test
    void shouldRefuseCoresThatThisProcessCannotHave()
    {
        final CoreChoice choice = new CoreChoice(false, List.of(CoreSet.parse("1"), CoreSet.parse("3-5")));
        assertEquals("transload.threads.cores = [1, 3-5] is not allowed: core 4-5 does not exist or is not this " +
            "process's, must be among 0-3", assertThrows(ConfigurationException.class,
            () -> choice.check(new HostShare(4, 1, 0, CoreSet.parse("0-3")))).getMessage());
        choice.check(new HostShare(8, 1, 0, CoreSet.parse("0-7")));
        choice.check(new HostShare(8, 1, 0, CoreSet.EMPTY));
    }

    @Test
    void shouldCountTheRanksThatShareTheHost() throws InterruptedException, ExecutionException
    {
        final List<InMemoryRendezvous> world = InMemoryRendezvous.world(3);
        final List<CompletableFuture<HostShare>> learning = world.stream().map((rendezvous) ->
            CompletableFuture.supplyAsync(() -> HostShare.learn(rendezvous, Duration.ofSeconds(30)),
            (task) -> new Thread(task).start())).toList();
        for (int rank = 0; rank < world.size(); rank++)
        {
            final HostShare share = learning.get(rank).get();
            assertEquals(3, share.ranks());
            assertEquals(rank, share.index());
            assertEquals(Runtime.getRuntime().availableProcessors(), share.cores());
            assertEquals(share.coresPerRank(), share.leastCoresPerRank());
        }

        world.forEach(InMemoryRendezvous::close);
    }

    @Test
    void shouldFindTheRankWithTheFewestCores()
    {
        final List<HostShare.Told> world = List.of(
            new HostShare.Told("a", 16, CoreSet.parse("0-15")), new HostShare.Told("b", 8, CoreSet.parse("0-7")),
            new HostShare.Told("b", 9, CoreSet.EMPTY), new HostShare.Told("b", 4, CoreSet.parse("8-11")));
        assertEquals(new HostShare(16, 1, 0, CoreSet.parse("0-15"), 2, 1), HostShare.of(world, 0));
        assertEquals(new HostShare(8, 2, 0, CoreSet.parse("0-7"), 2, 1), HostShare.of(world, 1));
        assertEquals(new HostShare(9, 3, 1, CoreSet.EMPTY, 2, 1), HostShare.of(world, 2));
        assertEquals(new HostShare(4, 2, 1, CoreSet.parse("8-11"), 2, 1), HostShare.of(world, 3));
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void shouldTieTheCallingThreadAlone() throws InterruptedException, ExecutionException, IOException
    {
        assumeTrue(null != Affinity.class.getResource(BundledLibrary.resource(Affinity.LIBRARY)),
            "built without a C compiler");
        final CoreSet before = ownCores();
        final CoreSet one = before.share(before.size() - 1, before.size());
        final FutureTask<CoreSet> tied = new FutureTask<>(() ->
        {
            assertTrue(Affinity.tie(one));
            return ownCores();
        });
        new Thread(tied).start();
        assertEquals(one, tied.get());
        assertEquals(before, ownCores());
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void shouldGoOnWhereTyingFails()
    {
        assertFalse(Affinity.tie(CoreSet.parse("9999")));
    }

    private static CoreSet ownCores() throws IOException
    {
        return Files.readAllLines(OWN_THREAD).stream().filter((line) -> line.startsWith("Cpus_allowed_list:"))
            .map((line) -> CoreSet.parse(line.split("\\s+")[1])).findFirst().orElseThrow();
    }
}
