/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.transload.cli.FailingRank.Moment;
import dev.transload.cli.input.InputOptions;
import dev.transload.cli.launch.LocalProcesses;
import dev.transload.cli.launch.PeerLoss;
import dev.transload.cli.launch.Progress;
import dev.transload.cli.launch.RanksResult;
import dev.transload.cli.lowlatency.LowLatencyRank;
import dev.transload.cli.lowlatency.LowLatencyTask;
import dev.transload.cli.outcome.ExitCodes;
import dev.transload.cli.settings.Settings;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Low latency between processes of which one is killed or stopped, with rows in host memory or on (emulated) GPUs: the
 * others finish, in time, name it, and what they send to each other stays right.
 * {@code -Dtest.rounds=N} runs more rounds, {@code -Dtest.first-round=R} begins at another one.
 */
@Timeout(300)
class LowLatencyFailureIT
{
    /** In these, transports and signals take turns; the last transport is for the rounds behind them. */
    private static final int FIRST_ROUNDS = 6;
    private static final int ROUNDS = Integer.getInteger("test.rounds", FIRST_ROUNDS);
    private static final int FIRST = Integer.getInteger("test.first-round", 0);
    private static final int RANKS = 3;
    /** Emulated devices that reach each other through host memory, over Aeron. */
    private static final String FAR = "far";
    private static final String[] TRANSPORTS = { "aeron", UcxHost.NAME, CudaEmulator.NAME, FAR };
    private static final int ITERATIONS = 12;
    private static final Duration TIMEOUT = Duration.ofSeconds(8);

    /** One round: who gets which signal when. */
    record Round(int number, String transport, String signal, Moment moment, boolean isFp8)
    {
        int victim()
        {
            return (number + number / RANKS) % RANKS;
        }

        /** Also the first call, and the last one in which the others must notice. */
        int call()
        {
            return new int[]{ 5, 0, 3, ITERATIONS - (Moment.COMBINE == moment ? 2 : 1), 6 }[number % 5];
        }
    }

    static Stream<Round> rounds()
    {
        final Moment[] moments = Moment.values();
        return IntStream.range(FIRST, FIRST + ROUNDS).mapToObj((round) -> new Round(round,
            TRANSPORTS[round % (TRANSPORTS.length - (round < FIRST_ROUNDS ? 1 : 0))],
            0 == (round < FIRST_ROUNDS ? round : round / 3) % 2 ? "KILL" : "STOP",
            moments[round / 6 % moments.length], 0 == round / 2 % 2));
    }

    @ParameterizedTest
    @MethodSource("rounds")
    void shouldGoOnWithoutARankThatFails(final Round round) throws Exception
    {
        if (UcxHost.NAME.equals(round.transport()))
        {
            UcxHost.require();
        }
        else if (isOnDevices(round))
        {
            CudaEmulator.require();
        }

        final List<String> notes = Collections.synchronizedList(new ArrayList<>());
        final RanksResult result = run(round, notes);
        final String said = round + ": " + result.outcome().sentence() + " " + notes;

        assertEquals(ExitCodes.PEER_FAILED, result.outcome().exitCode(), said);
        assertTrue(result.outcome().sentence().matches("rank " + round.victim() + " \\(pid \\d+\\) " +
            ("KILL".equals(round.signal()) ? "was ended by SIGKILL" : "did not answer") +
            "; the other ranks went on without it"), said);
        assertEquals(RANKS, result.reports().size(), said);
        for (int rank = 0; rank < RANKS; rank++)
        {
            if (rank != round.victim())
            {
                assertSurvived(result.reports().get(rank), round, said);
            }
        }
    }

    private static void assertSurvived(final JsonNode report, final Round round, final String said)
    {
        assertTrue(report.get("failure").isNull(), said + " " + report.get("failure").asText());
        assertEquals(1, report.get("masked").size(), said);
        assertEquals(round.victim(), report.get("masked").get(0).asInt(), said);
        for (final String call : List.of("dispatchNs", "combineNs"))
        {
            assertEquals(ITERATIONS, report.get(call).size(), said);
            for (final JsonNode ns : report.get(call))
            {
                assertTrue(ns.asLong() < longest(round).toNanos(), said + " " + call + " took " + ns);
            }
        }
    }

    /** A dispatch by devices waits a whole timeout from the last sign of life of whom it had granted places. */
    private static Duration longest(final Round round)
    {
        return isOnDevices(round) ? TIMEOUT.multipliedBy(2) : TIMEOUT;
    }

    private static boolean isOnDevices(final Round round)
    {
        return CudaEmulator.NAME.equals(round.transport()) || FAR.equals(round.transport());
    }

    private static RanksResult run(final Round round, final List<String> notes)
    {
        final LowLatencyTask task = LowLatencyTask.of(
            new InputOptions(null, 24, null, 9, 4, 1024, round.isFp8() ? "fp8" : "bf16", 7), ITERATIONS, 0,
            "distinct", false, null, null);
        final ObjectMapper json = new ObjectMapper();
        final ObjectNode plan = json.createObjectNode().put("victim", round.victim())
            .put("moment", round.moment().name()).put("signal", round.signal()).put("call", round.call());
        plan.set("task", json.valueToTree(task));
        final boolean isFar = FAR.equals(round.transport());
        final Settings settings = Settings.load(null, Map.of(), Map.of("transload.ucx.tls", "posix,self"), Map.of())
            .withDefaults(Map.ofEntries(
                Map.entry("transload.scale-out.transport", isFar ? "aeron" : round.transport()),
                Map.entry("transload.scale-up.transport", isFar ? CudaEmulator.NAME : round.transport()),
                Map.entry("transload.nodes", isFar ? String.valueOf(RANKS) : "1"),
                Map.entry("transload.ranks-per-node", isFar ? "1" : String.valueOf(RANKS)),
                Map.entry("transload.low-latency.near", isFar ? "never" : "auto"),
                Map.entry("transload.max-hidden", "1024"), Map.entry("transload.max-topk", "4"),
                Map.entry("transload.max-experts", "9"), Map.entry("transload.low-latency.max-tokens", "24"),
                Map.entry("transload.kernels.mode", "scalar"), Map.entry("transload.timeouts.open", "120s"),
                Map.entry("transload.rendezvous.timeout", "120s"),
                Map.entry("transload.rendezvous.failure-timeout", "2s"),
                Map.entry("transload.timeouts.call", TIMEOUT.toSeconds() + "s")));
        return new LocalProcesses(FailingRank.class.getName(), noting(notes), notes::add)
            .run(LowLatencyRank.NAME, plan, isOnDevices(round) ?
            CudaEmulator.over(settings) : settings, RANKS, PeerLoss.MASK, 0);
    }

    private static Progress noting(final List<String> notes)
    {
        return new Progress()
        {
            @Override
            public void step(final String stage, final long done, final long all)
            {
                // What ranks note is enough.
            }

            @Override
            public void note(final String line)
            {
                notes.add(line);
            }
        };
    }
}
