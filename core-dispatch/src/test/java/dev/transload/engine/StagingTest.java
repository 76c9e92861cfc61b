/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.transload.engine.internal.connect.Connection;
import dev.transload.engine.internal.runtime.RoleReport;
import dev.transload.engine.internal.world.Stage;
import dev.transload.rendezvous.InMemoryRendezvous;
import dev.transload.spi.ConfigurationException;
import dev.transload.spi.MemoryKind;
import dev.transload.spi.TransportRegistry;
import dev.transload.tck.stepping.SteppingFabric;
import dev.transload.tck.stepping.SteppingOptions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Device memory between nodes over a transport that knows host memory only: when it is staged, and how far ahead. */
class StagingTest
{
    private static final MemoryKind OPAQUE = SteppingOptions.OPAQUE;
    private static final MemoryKind OTHER = new MemoryKind("OTHER");
    private static final int TOKENS = 12;
    private static final int CHUNK = 3;
    private static final int ROW_BYTES = 32;
    private static final int MORE_CYCLES = 2_000;

    /** All tokens of both ranks go to rank 1, on the other node than rank 0. */
    private static Scenario twoNodes(final int chunksInRing)
    {
        final Scenario scenario = new Scenario(5);
        scenario.ranksPerNode = 1;
        scenario.channels = 1;
        scenario.tokens = new int[]{TOKENS, TOKENS};
        scenario.topk = 1;
        scenario.isHot = true;
        scenario.missing = 0;
        scenario.outChunk = CHUNK;
        scenario.outBatch = 1;
        scenario.outRing = chunksInRing * CHUNK;
        scenario.kind = OPAQUE;
        scenario.isStaged = true;
        return scenario;
    }

    private static long staged(final SteppingWorld world, final int rank)
    {
        return world.engines.get(rank).statistics().stagedBytes();
    }

    /** Nothing is done by or to the rank any more: what others send it stays on the wire. */
    private static void stop(final SteppingWorld world, final int rank)
    {
        world.deaf.add(rank);
        world.fabric.pause(rank);
    }

    private static void resume(final SteppingWorld world, final int rank)
    {
        world.deaf.remove(rank);
        world.fabric.resume(rank);
    }

    private static void assertStagedNoMoreThan(final SteppingWorld world, final int rank, final long bytes)
    {
        world.await("staged", () -> staged(world, rank) >= bytes);
        final int[] cycles = {0};
        world.await("quiet", () -> ++cycles[0] > MORE_CYCLES);
        assertEquals(bytes, staged(world, rank));
    }

    @ParameterizedTest
    @CsvSource({"1", "2", "3"})
    void shouldStageTheNextChunksOfDispatchWhileTheFirstIsOnTheWire(final int chunksInRing)
    {
        try (SteppingWorld world = new SteppingWorld(twoNodes(chunksInRing)))
        {
            stop(world, 1);
            final List<Completion<DispatchResult>> calls = new ArrayList<>();
            calls.add(world.engines.get(0).dispatch(world.dispatchRequest(0, null)));
            assertStagedNoMoreThan(world, 0, (long)chunksInRing * CHUNK * ROW_BYTES);
            calls.add(world.engines.get(1).dispatch(world.dispatchRequest(1, null)));
            resume(world, 1);
            world.await("dispatched", () -> calls.stream().allMatch(Completion::isDone));
            for (int rank = 0; rank < calls.size(); rank++)
            {
                world.verifyDispatch(rank, calls.get(rank).await());
            }

            assertEquals((long)TOKENS * ROW_BYTES, staged(world, 0), "to host memory");
            assertEquals((long)TOKENS * ROW_BYTES, staged(world, 1), "and back; rank 1 keeps its own tokens");
        }
    }

    @ParameterizedTest
    @CsvSource({"1", "2", "3"})
    void shouldStageTheNextPartialSumsWhileTheFirstAreOnTheWire(final int chunksInRing)
    {
        try (SteppingWorld world = new SteppingWorld(twoNodes(chunksInRing)))
        {
            final List<DispatchResult> results = world.dispatch(null);
            stop(world, 0);
            final List<Completion<CombineResult>> calls = new ArrayList<>();
            calls.add(world.engines.get(1).combine(world.combineRequest(1, results.get(1))));
            assertStagedNoMoreThan(world, 1, (TOKENS + (long)chunksInRing * CHUNK) * ROW_BYTES);
            calls.add(0, world.engines.get(0).combine(world.combineRequest(0, results.get(0))));
            resume(world, 0);
            world.await("combined", () -> calls.stream().allMatch(Completion::isDone));
            for (int rank = 0; rank < calls.size(); rank++)
            {
                world.verifyCombined(rank, calls.get(rank).await());
            }

            assertEquals(2L * TOKENS * ROW_BYTES, staged(world, 1), "of dispatch, and sums to host memory");
            assertEquals(2L * TOKENS * ROW_BYTES, staged(world, 0), "of dispatch, and sums back at home");
        }
    }

    /** Whichever ranks of the node get a row, and through rings of whatever size. */
    @ParameterizedTest
    @CsvSource({"1, direct", "2, direct", "2, ring"})
    void shouldCrossTheBusOnceInEachDirection(final int chunksInRing, final String placement)
    {
        final Scenario scenario = twoNodes(chunksInRing);
        scenario.ranksPerNode = 3;
        scenario.channels = 2;
        scenario.tokens = new int[]{TOKENS, TOKENS, 5, 0, 0, 0};
        scenario.topk = 4;
        scenario.experts = 12;
        scenario.isHot = false;
        scenario.placement = placement;
        try (SteppingWorld world = new SteppingWorld(scenario))
        {
            final List<DispatchResult> results = world.dispatch(null);
            final long[] sent = new long[3];
            for (int rank = 0; rank < sent.length; rank++)
            {
                sent[rank] = (long)ROW_BYTES *
                    world.engines.get(rank).layout(world.tensors.get(rank).idx, scenario.experts).tokensPerNode()[1];
                assertEquals(sent[rank], staged(world, rank), "to host memory where the tokens are");
            }

            final long all = LongStream.of(sent).sum();
            final long copies = IntStream.range(3, 6).mapToLong((rank) -> results.get(rank).rows()).sum() * ROW_BYTES;
            assertTrue(all < copies, "rows go to several ranks of the node");
            assertEquals(all, LongStream.range(3, 6).map((rank) -> staged(world, (int)rank)).sum(),
                "from host memory where the experts are");
            world.combineAndVerify(results);
            assertEquals(2 * all, LongStream.range(3, 6).map((rank) -> staged(world, (int)rank)).sum(),
                "sums to host memory");
            for (int rank = 0; rank < sent.length; rank++)
            {
                assertEquals(2 * sent[rank], staged(world, rank), "and back at home");
            }
        }
    }

    @Test
    void shouldSayThatItWaitsForRowsWhichAreBeingStaged()
    {
        try (SteppingWorld world = new SteppingWorld(twoNodes(2)))
        {
            world.fabric.pause(0);
            final List<Completion<DispatchResult>> calls = new ArrayList<>();
            for (int rank = 0; rank < 2; rank++)
            {
                calls.add(world.engines.get(rank).dispatch(world.dispatchRequest(rank, null)));
            }

            // The first chunk is handed over, and cannot arrive.
            world.await("staging", () -> RoleReport.of(EngineInsides.threads(world.engines.get(0)))
                .contains("rank 0, channel 0, staged.tail: expected 3, seen 0"));
            world.fabric.resume(0);
            world.await("dispatched", () -> calls.stream().allMatch(Completion::isDone));
            world.verifyDispatch(0, calls.get(0).await());
        }
    }

    /** Both directions at the same time, and neither behind rows that are handed on to the own rank. */
    @Test
    void shouldStageEachDirectionOverAChannelOfItsOwn()
    {
        final Scenario scenario = twoNodes(2);
        assertEquals(List.of(Connection.Use.GENERAL, Connection.Use.STAGING_IN, Connection.Use.STAGING_OUT),
            usesToOwnRank(scenario));
        scenario.kind = MemoryKind.HOST;
        assertEquals(List.of(Connection.Use.GENERAL), usesToOwnRank(scenario));
    }

    /** Of rank 0's channel, each by another channel of the transport. */
    private static List<Connection.Use> usesToOwnRank(final Scenario scenario)
    {
        try (SteppingWorld world = new SteppingWorld(scenario))
        {
            world.runAndVerifyAll();
            final List<Connection> links = EngineInsides.threads(world.engines.get(0)).stream()
                .flatMap((thread) -> EngineInsides.links(thread).stream())
                .filter((link) -> Stage.SCALE_UP == link.stage() && 0 == link.channelIndex() && 0 == link.peer())
                .toList();
            assertEquals(links.size(), links.stream().map(Connection::channel).distinct().count());
            return links.stream().map(Connection::use).sorted(Comparator.comparing(Enum::name)).toList();
        }
    }

    @Test
    void shouldNotStageWhatTheScaleOutTransportMoves()
    {
        final Scenario scenario = twoNodes(2);
        scenario.isStaged = false;
        scenario.isApart = true;
        try (SteppingWorld world = new SteppingWorld(scenario))
        {
            world.runAndVerifyAll();
            assertEquals(0, staged(world, 0));
            assertTrue(world.engines.get(0).statistics().dispatchScaleOutBytes() > 0);
        }
    }

    /** As a transport between nodes that does not move the rows would have it; also where one carries both stages. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldStageWhatTheScaleOutTransportMovesIfToldTo(final boolean isApart)
    {
        final Scenario scenario = twoNodes(2);
        scenario.ranksPerNode = 2;
        scenario.tokens = new int[]{TOKENS, 5, TOKENS, 0};
        final long[] needed = stagedByAll(scenario);
        assertTrue(needed[0] > 0 && needed[2] > 0, () -> Arrays.toString(needed));
        scenario.isStaged = false;
        scenario.isApart = isApart;
        assertArrayEquals(new long[needed.length], stagedByAll(scenario));
        scenario.staging = "always";
        assertArrayEquals(needed, stagedByAll(scenario));
    }

    private static long[] stagedByAll(final Scenario scenario)
    {
        try (SteppingWorld world = new SteppingWorld(scenario))
        {
            world.runAndVerifyAll();
            return IntStream.range(0, scenario.ranks()).mapToLong((rank) -> staged(world, rank)).toArray();
        }
    }

    @Test
    void shouldNotStageHostMemory()
    {
        final Scenario scenario = twoNodes(2);
        scenario.kind = MemoryKind.HOST;
        scenario.staging = "always";
        try (SteppingWorld world = new SteppingWorld(scenario))
        {
            world.runAndVerifyAll();
            assertEquals(0, staged(world, 0));
        }
    }

    private static SteppingFabric fabric()
    {
        return new SteppingFabric(1, 2, SteppingOptions.host().kinds(Set.of(MemoryKind.HOST, OPAQUE, OTHER)));
    }

    /** Opening is collective: two ranks, alike but for what their scale-out transports move. */
    private static List<Throwable> failures(
        final MemoryKind payload, final IntFunction<Set<MemoryKind>> outKinds, final Set<MemoryKind> upKinds)
    {
        return failures(payload, outKinds, upKinds, (rank) -> "auto");
    }

    private static List<Throwable> failures(
        final MemoryKind payload, final IntFunction<Set<MemoryKind>> outKinds, final Set<MemoryKind> upKinds,
        final IntFunction<String> staging)
    {
        final List<InMemoryRendezvous> rendezvous = InMemoryRendezvous.world(2);
        final ExecutorService executor = Executors.newFixedThreadPool(2);
        try
        {
            final List<CompletableFuture<Engine>> opening = new ArrayList<>();
            for (int rank = 0; rank < 2; rank++)
            {
                final SteppingFabric fabric = fabric();
                final TransportRegistry registry = TransportRegistry.of(List.of(
                    fabric.provider("wire").kinds(outKinds.apply(rank)), fabric.provider("links").kinds(upKinds)));
                final InMemoryRendezvous own = rendezvous.get(rank);
                final Scenario scenario = twoNodes(1);
                scenario.kind = payload;
                scenario.staging = staging.apply(rank);
                opening.add(CompletableFuture.supplyAsync(() -> Engine.open(scenario.config("wire", "links"), own,
                    registry, KernelRegistry.of(List.of(fabric.kernelsProvider(payload)))), executor));
            }

            return opening.stream()
                .map((future) -> assertThrows(CompletionException.class, future::join).getCause()).toList();
        }
        finally
        {
            executor.shutdown();
            rendezvous.forEach(InMemoryRendezvous::close);
        }
    }

    private static ConfigurationException refused(
        final MemoryKind payload, final Set<MemoryKind> outKinds, final Set<MemoryKind> upKinds)
    {
        return assertInstanceOf(
            ConfigurationException.class, failures(payload, (rank) -> outKinds, upKinds).get(0));
    }

    @Test
    void shouldRefuseTransportsBetweenWhichNobodyCanCopy()
    {
        final String advice = "both must move OPAQUE, or both HOST to stage rows in";
        Messages.assertContains(refused(OPAQUE, Set.of(MemoryKind.HOST), Set.of(OPAQUE)),
            "rows in OPAQUE memory (transload.payload.kind)", "links (scale-up), which moves [OPAQUE]",
            "wire (scale-out), which moves [HOST]", advice);
        Messages.assertContains(refused(OPAQUE, Set.of(OTHER), Set.of(OPAQUE, MemoryKind.HOST)),
            "links (scale-up), which moves [HOST, OPAQUE]", "wire (scale-out), which moves [OTHER]", advice);
    }

    @Test
    void shouldRefuseATransportThatLacksThePayload()
    {
        Messages.assertContains(refused(OPAQUE, Set.of(OPAQUE, MemoryKind.HOST), Set.of(MemoryKind.HOST)),
            "transport links cannot move OPAQUE memory (transload.payload.kind): it moves [HOST]");
        Messages.assertContains(refused(MemoryKind.HOST, Set.of(OPAQUE), Set.of(OPAQUE, MemoryKind.HOST)),
            "transport wire cannot move HOST memory (transload.payload.kind): it moves [OPAQUE]");
    }

    @Test
    void shouldRefuseToStageIfToldNotTo()
    {
        final Set<MemoryKind> both = Set.of(MemoryKind.HOST, OPAQUE);
        failures(OPAQUE, (rank) -> Set.of(MemoryKind.HOST), both, (rank) -> "never").forEach((failure) ->
            Messages.assertContains(assertInstanceOf(ConfigurationException.class, failure),
            "rows in OPAQUE memory would be staged", "transload.payload.staging = never forbids",
            "transport wire (scale-out) moves [HOST]"));
    }

    @Test
    void shouldNameTheRanksThatAreToldOtherwise()
    {
        final Set<MemoryKind> both = Set.of(MemoryKind.HOST, OPAQUE);
        failures(OPAQUE, (rank) -> both, both, (rank) -> 0 == rank ? "always" : "never").forEach((failure) ->
            Messages.assertContains(assertInstanceOf(ConfigurationException.class, failure),
            "has transload.payload.staging = always", "has transload.payload.staging = never",
            "must be equal on all ranks"));
    }

    @Test
    void shouldNameTheRanksOfWhichOneStagesAndTheOtherDoesNot()
    {
        final Set<MemoryKind> both = Set.of(MemoryKind.HOST, OPAQUE);
        failures(OPAQUE, (rank) -> 0 == rank ? both : Set.of(MemoryKind.HOST), Set.of(MemoryKind.HOST, OPAQUE, OTHER))
            .forEach((failure) -> Messages.assertContains(failure, "payload.kind = OPAQUE",
            "OPAQUE (staged through host memory)", "rank 0 has", "rank 1 has", "must be equal on all ranks"));
    }
}
