/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.transload.engine.TokenRoute.Place;
import dev.transload.reference.ReferenceDispatch;
import dev.transload.reference.Routing;
import dev.transload.spi.MemoryKind;
import dev.transload.tck.stepping.SteppingOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongFunction;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The way of each token of random worlds, as the tables of all ranks tell it, held to the reference's rows. */
class TokenRouteTest
{
    private static final int SEEDS = 12;

    @Test
    void shouldTellTheWayOfEachTokenInHostMemory()
    {
        verifyAll((seed) -> Scenario.random(seed, MemoryKind.HOST));
    }

    @Test
    void shouldTellTheWayOfEachTokenInDeviceMemory()
    {
        verifyAll((seed) -> Scenario.random(seed, SteppingOptions.OPAQUE));
    }

    @Test
    void shouldTellTheWayOfEachTokenThatIsStaged()
    {
        verifyAll((seed) -> Scenario.randomStaged(seed, SteppingOptions.OPAQUE));
    }

    @Test
    void shouldTellTheWayOfEachTokenThroughUnevenNodes()
    {
        verifyAll((seed) -> Scenario.randomUneven(seed, SteppingOptions.OPAQUE, 0 == seed % 2));
    }

    @Test
    void shouldRefuseWhatTheTablesDoNotHave()
    {
        final Scenario scenario = new Scenario(5);
        scenario.missing = 0;
        try (SteppingWorld world = new SteppingWorld(scenario))
        {
            final List<DispatchResult> results = world.dispatch(null);
            final TokenRoute route = results.get(0).handle().explain();
            refuse("token = 7 is not allowed: must be in [0, 7)", () -> route.source(7));
            refuse("source = 3 is not allowed: in channel 0, rank 0 relays no stream of it",
                () -> route.relay(3, 0, 0));
            refuse("channel = 2 is not allowed: must be in [0, 2)", () -> route.relay(0, 2, 0));
            refuse("position = -1 is not allowed: must be in [0, ", () -> route.relay(0, 0, -1));
            refuse("row = " + results.get(0).rows() + " is not allowed: it did not come from rank 1 through channel 1",
                () -> route.output(1, 1, results.get(0).rows()));
            results.forEach((result) -> result.handle().close());
            refuse("the handle is closed", () -> route.source(0));
        }
    }

    private static void refuse(final String sentence, final Supplier<Object> question)
    {
        final String message = assertThrows(BadInputException.class, question::get).getMessage();
        assertTrue(message.startsWith(sentence), message);
    }

    private static void verifyAll(final LongFunction<Scenario> scenarios)
    {
        for (long seed = 1; seed <= SEEDS; seed++)
        {
            try (SteppingWorld world = new SteppingWorld(scenarios.apply(seed)))
            {
                final List<DispatchResult> results = world.dispatch(null);
                verify(world, results, false);
                world.combine(results);
                verify(world, results, true);
                world.dispatch(results.stream().map(DispatchResult::handle).toList());
                verify(world, results, true);
            }
        }
    }

    private static void verify(
        final SteppingWorld world, final List<DispatchResult> results, final boolean isCombined)
    {
        final Scenario scenario = world.scenario;
        final Way way = new Way(world, results);
        for (int source = 0; source < scenario.ranks(); source++)
        {
            for (int token = 0; token < scenario.tokens[source]; token++)
            {
                way.verify(source, token, isCombined);
            }
        }
    }

    /** Follows a token through the world, with nothing but the reference to say where it must be. */
    private static final class Way
    {
        private final Scenario scenario;
        private final WorldData data;
        private final List<DispatchResult> results;
        private final ReferenceDispatch[] received;
        private final boolean isExpanded;
        private final int ring;

        private Way(final SteppingWorld world, final List<DispatchResult> results)
        {
            this.scenario = world.scenario;
            this.data = world.data;
            this.results = results;
            this.isExpanded = OutputLayout.EXPERT_MAJOR == scenario.layout;
            this.ring = Math.max(scenario.upRing / mostStreams(), scenario.upChunk + scenario.upBatch - 1);
            this.received = new ReferenceDispatch[scenario.ranks()];
            for (int rank = 0; rank < received.length; rank++)
            {
                received[rank] = isExpanded ? data.reference.expertMajor(rank, scenario.alignment) :
                    data.reference.rankMajor(rank, scenario.alignment);
            }
        }

        private TokenRoute of(final int rank)
        {
            return results.get(rank).handle().explain();
        }

        private void verify(final int source, final int token, final boolean isCombined)
        {
            final Supplier<String> where = () -> "token " + token + " of rank " + source + ", " + scenario;
            final TokenRoute.Source sent = of(source).source(token);
            final Routing routing = data.routings.get(source);
            assertEquals(token / perChannel(source), sent.channel(), where);
            assertEquals(routing.topk(), sent.experts().length, where);
            for (int k = 0; k < routing.topk(); k++)
            {
                assertEquals(routing.expert(token, k), sent.experts()[k], where);
            }

            final List<Place> sums = new ArrayList<>();
            int next = 0;
            for (int node = 0; node < data.reference.nodes(); node++)
            {
                if (!data.reference.answering(source, token, node).isEmpty())
                {
                    assertTrue(next < sent.streams().size(), where);
                    final TokenRoute.Stream stream = sent.streams().get(next++);
                    assertEquals(node, stream.node(), where);
                    final boolean isOwn = node == node(source);
                    final TokenRoute.Relay relay = verifyStream(source, token, sent, stream, isOwn, where);
                    for (int i = 0; i < relay.inPlace().length; i++)
                    {
                        assertEquals(isCombined && isReadInPlace(relay.places().get(i).rank()), relay.inPlace()[i],
                            where);
                    }

                    sums.addAll(isOwn ? relay.places() : List.of(new Place(stream.relay(), relay.row())));
                }
            }

            assertEquals(next, sent.streams().size(), where);
            assertEquals(isCombined && areReadInPlace(node(source)) ? sums : List.of(), sent.sums(),
                where);
        }

        private boolean areReadInPlace(final int node)
        {
            return IntStream.range(0, scenario.ranks()).filter((rank) -> node(rank) == node)
                .allMatch(this::isReadInPlace);
        }

        private boolean isReadInPlace(final int rank)
        {
            return scenario.hasWindows && !isExpanded && !isRing(rank);
        }

        private boolean isRing(final int rank)
        {
            return "ring".equals(scenario.placement) || "mixed".equals(scenario.placement) && 1 == rank % 2;
        }

        private TokenRoute.Relay verifyStream(
            final int source, final int token, final TokenRoute.Source sent, final TokenRoute.Stream stream,
            final boolean isOwn, final Supplier<String> where)
        {
            final int node = stream.node();
            final int first = sent.channel() * perChannel(source);
            final int position = count(source, first, token, node, -1);
            assertEquals(position, stream.position(), where);
            assertEquals(count(source, first,
                Math.min(first + perChannel(source), scenario.tokens[source]), node, -1), stream.rows(), where);
            assertEquals(relay(source, node, sent.channel()), stream.relay(), where);
            assertEquals(streams(stream.relay(), sent.channel()).indexOf(source), stream.index(), where);
            final TokenRoute.Relay relay = of(stream.relay()).relay(source, sent.channel(), position);
            assertEquals(isOwn ? token : position % scenario.outRing, relay.row(), where);
            assertEquals(places(source, token, node), relay.places(), where);
            for (final Place place : relay.places())
            {
                verifyOutput(source, token, sent.channel(), place, where);
            }

            return relay;
        }

        /** Output rows, ranks of the node ascending; expert-major in the order of the selections. */
        private List<Place> places(final int source, final int token, final int node)
        {
            final List<Place> places = new ArrayList<>();
            for (int k = 0; isExpanded && k < scenario.topk; k++)
            {
                for (final int rank : data.reference.answering(source, token, node))
                {
                    if (data.reference.isOn(source, token, k, rank))
                    {
                        places.add(new Place(rank, row(rank, source, token, k)));
                    }
                }
            }

            for (final int rank : isExpanded ? List.<Integer>of() : data.reference.answering(source, token, node))
            {
                places.add(new Place(rank, row(rank, source, token, -1)));
            }

            return places;
        }

        private int row(final int rank, final int source, final int token, final int k)
        {
            final int localExperts = data.reference.experts() / scenario.ranks();
            for (int row = 0; row < received[rank].rows(); row++)
            {
                final boolean isToken =
                    received[rank].srcRank()[row] == source && received[rank].srcTokenIdx()[row] == token;
                if (isToken && (k < 0 || received[rank].topkIdx()[row] + (long)rank * localExperts ==
                    data.routings.get(source).expert(token, k)))
                {
                    return row;
                }
            }

            throw new AssertionError("the reference has no such row");
        }

        private void verifyOutput(
            final int source, final int token, final int channel, final Place place, final Supplier<String> where)
        {
            final int rank = place.rank();
            final TokenRoute.Output output = of(rank).output(source, channel, place.row());
            final int index = count(
                source, channel * perChannel(source), token, node(rank), rank);
            assertEquals(index, output.index(), where);
            assertEquals(index % ring, output.slot(), where);
            assertEquals(!isRing(rank), output.isDirect(), where);
            assertEquals(data.reference.experts() / scenario.ranks(), output.localExperts(), where);
            final int[] rows = new int[isExpanded ? scenario.topk : 1];
            for (int k = 0; k < rows.length; k++)
            {
                rows[k] = isExpanded && !data.reference.isOn(source, token, k, rank) ? -1 :
                    row(rank, source, token, isExpanded ? k : -1);
            }

            assertArrayEquals(rows, output.rows(), where);
        }

        private int node(final int rank)
        {
            int node = 0;
            int left = rank;
            while (left >= ranksOf(node))
            {
                left -= ranksOf(node);
                node++;
            }

            return node;
        }

        private int first(final int node)
        {
            return IntStream.range(0, node).map(this::ranksOf).sum();
        }

        private int ranksOf(final int node)
        {
            return scenario.world().ranksOfNodes().get(node);
        }

        private int relay(final int source, final int node, final int channel)
        {
            final int home = node(source);
            return home == node ? source :
                first(node) + (source - first(home) + ranksOf(home) * channel) % ranksOf(node);
        }

        /** Source ranks whose streams a rank relays. */
        private List<Integer> streams(final int relay, final int channel)
        {
            return IntStream.range(0, scenario.ranks())
                .filter((source) -> relay(source, node(relay), channel) == relay).boxed().toList();
        }

        private int mostStreams()
        {
            int most = 0;
            for (int rank = 0; rank < scenario.ranks(); rank++)
            {
                for (int channel = 0; channel < scenario.channels; channel++)
                {
                    most = Math.max(most, streams(rank, channel).size());
                }
            }

            return most;
        }

        private int perChannel(final int source)
        {
            return (scenario.tokens[source] + scenario.channels - 1) / scenario.channels;
        }

        /** Tokens of [from, end) that go to a node, or of that to one of its ranks. */
        private int count(final int source, final int from, final int end, final int node, final int rank)
        {
            int count = 0;
            for (int token = from; token < end; token++)
            {
                final List<Integer> ranks = data.reference.answering(source, token, node);
                count += rank < 0 ? ranks.isEmpty() ? 0 : 1 : ranks.contains(rank) ? 1 : 0;
            }

            return count;
        }
    }
}
