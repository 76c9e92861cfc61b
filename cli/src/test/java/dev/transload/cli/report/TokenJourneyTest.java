/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.report;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.transload.cli.CliReference;
import dev.transload.cli.input.TokenName;
import dev.transload.cli.rank.RankReport;
import dev.transload.cli.rank.RankReport.TokenReport;
import dev.transload.cli.rank.RankReport.TransportReport;
import dev.transload.cli.report.RunHeader.LowLatencyHeader;
import dev.transload.engine.TokenRoute;
import dev.transload.engine.TokenRoute.Place;
import dev.transload.engine.WorldConfig;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

class TokenJourneyTest
{
    private static final TokenName NAME = new TokenName(1, 5);

    /** Rank 1 is on node 0, as rank 0 is; rank 2, on node 1, relays to itself only. */
    private static final TokenReport RANK_0 =
        new TokenReport(NAME, 0, null, null, new TokenRoute.Output(7, false, 3, 2, new int[]{ 40 }));

    @Test
    void shouldPutPartsOfAllRanksTogether()
    {
        assertEquals(List.of(
            "token 5 of rank 1 (node 0), channel 2, experts 4, none, 1, 5",
            "  node 0: position 9 of 20 in the stream, no first hop: rank 1 reads its tensor",
            "    rank 0: output row 40 for expert 1, through slot 3 of the ring from rank 1",
            "  node 1: position 8 of 11 in the stream, first hop staged to relay rank 2, slot 0 of ring 1",
            "    rank 2: output row 60 for experts 4, 5, written to its place",
            "  way back:",
            "    node 0: rank 1 sums rank 0 row 40 by slot 3",
            "    node 1: rank 2 sums rank 2 row 60, to slot 0 of the ring at rank 1",
            "    rank 1: node 0 + node 1; top-k weights are summed in the same order"),
            TokenText.of(journey(List.of(), false, "HOST").orElseThrow()));
    }

    @Test
    void shouldTellSumsByTheTableThatIsReadForThem()
    {
        final TokenJourney journey =
            journey(List.of(new Place(0, 40), new Place(2, 77)), true, "CUDA").orElseThrow();

        assertEquals("direct", journey.hops().get(1).firstHop());
        assertEquals(40, journey.hops().get(0).arrivals().get(0).answerRow());
        assertEquals(0, journey.hops().get(1).slot());
        assertEquals(77, journey.hops().get(1).sumSlot());
    }

    /** Together these summaries have all that a run may tell. */
    @Test
    void shouldTellOfARunByTheDocumentedKeys()
    {
        CliReference.assertKeys("run", Set.of(), SummaryJson.of(SampleSummary.of("a trace", "a wrong row")),
            SummaryJson.of(SampleSummary.restarted()),
            SummaryJson.of(SampleSummary.onDevices(new LowLatencyHeader(128, 9), "node-0", "node-1")),
            SummaryJson.of(explained(List.of(new Place(0, 40), new Place(2, 77)), true, "CUDA")));
    }

    @Test
    void shouldTellNothingUnlessAsked()
    {
        assertEquals(Optional.empty(), TokenJourney.of(SampleSummary.of("a trace", null)));
    }

    private static Optional<TokenJourney> journey(
        final List<Place> sums, final boolean isInPlace, final String wireKind)
    {
        return TokenJourney.of(explained(sums, isInPlace, wireKind));
    }

    /** Of a world of unequal nodes. */
    private static Summary explained(final List<Place> sums, final boolean isInPlace, final String wireKind)
    {
        final TokenReport source = new TokenReport(NAME, 0,
            new TokenRoute.Source(2, new int[]{ 4, -1, 1, 5 }, List.of(
                new TokenRoute.Stream(0, 1, 0, 9, 20), new TokenRoute.Stream(1, 2, 1, 8, 11)), sums),
            new TokenRoute.Relay(5, List.of(new Place(0, 40)), new boolean[]{ isInPlace }), null);
        final TokenReport relay = new TokenReport(NAME, 1, null,
            new TokenRoute.Relay(0, List.of(new Place(2, 60)), new boolean[]{ true }),
            new TokenRoute.Output(4, true, 0, 2, new int[]{ 60 }));
        return Summary.of(new RunHeader(
            new WorldConfig(List.of(2, 1)), "a trace", 8, 8, 4, 128, "bf16", 1, 0, 1, "distinct", null, null), List.of(
            report(0, RANK_0, wireKind), report(1, source, wireKind), report(2, relay, wireKind)));
    }

    private static RankReport report(final int rank, final TokenReport token, final String wireKind)
    {
        final RankReport sample = SampleSummary.report(rank, null, 1, "CUDA", "node-" + rank);
        final TransportReport wire = new TransportReport("ucx", "UCX 1.20", List.of(wireKind), false,
            List.of());
        return new RankReport(rank, sample.processId(), sample.host(), sample.tokens(), sample.rows(),
            sample.channels(), false, 1, null, sample.dispatchNs(), sample.combineNs(), sample.lapNs(),
            sample.interrupted(), 0, 0, 0, 0, 0,
            sample.processor(), sample.roles(), new long[3], List.of(), List.of(wire, sample.transports().get(1)),
            sample.payloadKind(), 0, 0, new int[0], new int[0], null, token, 0);
    }
}
