/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.tck.stepping;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.transload.spi.TransportProvider;
import dev.transload.tck.ConformanceFixture;
import dev.transload.tck.ConformanceReport;
import dev.transload.tck.ConformanceReport.Result;
import dev.transload.tck.ConformanceReport.Status;
import dev.transload.tck.ConformanceRun;
import dev.transload.tck.stepping.DirectTransport.Break;
import dev.transload.tck.stepping.QueueingTransport.Order;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The kit's threads find what is whole, or in order, only as long as one thread uses the transport. */
class RaceMutantTest
{
    private static final long SEED = 5L;

    /** A lost add to a signal shows as a wait in vain. */
    private static final long MUTANT_DEADLINE_NS = TimeUnit.SECONDS.toNanos(6);
    private static final long DEADLINE_NS = TimeUnit.SECONDS.toNanos(30);
    private static final Set<String> RULES = Set.of("SIG-3", "SIG-7", "LOAD-2", "ORD-6");
    private static final Set<String> ORDER_RULES = Set.of("ORD-2", "ORD-4", "ORD-8");

    @ParameterizedTest
    @CsvSource({"SIG-3, ADD_IN_TWO_STEPS, in vain for signal 0 of rank 1", "ORD-6, ADD_IN_TWO_STEPS, adds were lost",
        "LOAD-2, LOAD_BY_BYTES, a word was torn", "SIG-7, SIGNALS_FREED_AT_ONCE, was closed while it was read"})
    void shouldFindOperationsThatAreNotAtomicBetweenThreads(final String rule, final Break broken, final String reason)
    {
        check(rule, reason, run(rule, broken, MUTANT_DEADLINE_NS).results());
    }

    @ParameterizedTest
    @CsvSource({"ORD-2, ADDS_FIRST, ADD_BEHIND_COPIES", "ORD-2, LAST_SECTION_FIRST, PUTS_BEHIND_COPIES",
        "ORD-4, ADDS_LAST, PUTS_BEHIND_WORD_ADD", "ORD-8, ADDS_LAST, SIGNAL_BEHIND_ADD",
        "ORD-8, SIGNALS_AT_THE_LAST_FENCE, SIGNAL_BEHIND_COPIES"})
    void shouldFindAQueueThatIgnoresFencesWithinACallOfProgress(
        final String rule, final Order order, final String reason)
    {
        check(rule, reason + ": what was ordered behind it", queueing(rule, order).results());
    }

    @Test
    void shouldPassTheSameTransportsWhole()
    {
        for (final String rule : RULES)
        {
            assertEquals(Set.of(rule), run(rule, Break.NOTHING, DEADLINE_NS).rules(Status.PASSED));
        }

        for (final String rule : ORDER_RULES)
        {
            assertEquals(Set.of(rule), queueing(rule, Order.AS_IT_CAME).rules(Status.PASSED));
        }
    }

    private static void check(final String rule, final String reason, final List<Result> results)
    {
        assertEquals(List.of(rule), results.stream().map(Result::rule).toList());
        assertEquals(Status.FAILED, results.get(0).status());
        assertTrue(results.get(0).reason().contains(reason), results.get(0).reason());
    }

    private static ConformanceReport run(final String rule, final Break broken, final long deadlineNs)
    {
        return ConformanceRun.transport((worldSize) -> fixture(
            worldSize, (stepping) -> DirectTransport.provider(stepping, broken), deadlineNs), rule::equals);
    }

    private static ConformanceReport queueing(final String rule, final Order order)
    {
        return ConformanceRun.transport((worldSize) -> fixture(
            worldSize, (stepping) -> QueueingTransport.provider(stepping, order), DEADLINE_NS), rule::equals);
    }

    private static ConformanceFixture fixture(
        final int worldSize, final UnaryOperator<TransportProvider> changed, final long deadlineNs)
    {
        final SteppingFabric fabric = new SteppingFabric(SEED, worldSize, SteppingOptions.host());
        final TransportProvider provider = changed.apply(fabric.provider());
        return new ConformanceFixture()
        {
            @Override
            public TransportProvider provider()
            {
                return provider;
            }

            @Override
            public void pump()
            {
                fabric.step();
            }

            @Override
            public long deadlineNs()
            {
                return deadlineNs;
            }
        };
    }
}
