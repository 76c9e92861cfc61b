/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.mutants;

import static dev.transload.engine.mutants.Edit.in;
import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.transload.gate.Thorough;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Each test that is to catch a mutant fails on the engine so changed, and passes on the engine as it is. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class EngineMutantTest
{
    /** A probe takes a fraction of a second. A mutant that exceeds this hangs in one step and does not belong here. */
    private static final Duration BOUND = Duration.ofMinutes(2);

    private static final int LEAST = 80;
    private static final int LEAST_OF_LOW_LATENCY = 8;
    private static final int MOST_REPORTED = 160;

    private final MutantLoader sound = new MutantLoader(null);

    static List<Mutant> mutants()
    {
        return EngineMutants.ALL;
    }

    static List<Mutant> slowMutants()
    {
        return EngineMutants.SLOW;
    }

    static Stream<Probe> probes()
    {
        return EngineMutants.ALL.stream().map(Mutant::probe).distinct();
    }

    @ParameterizedTest
    @MethodSource("probes")
    void shouldPassOnTheEngineAsItIs(final Probe probe)
    {
        assertNull(run(probe, sound), probe::toString);
    }

    /** By its own probe, or once the engine was changed so that this one passes, by another world of the same test. */
    @ParameterizedTest
    @MethodSource("mutants")
    void shouldFailOnTheMutant(final Mutant mutant, final TestReporter reporter)
    {
        Probe probe = mutant.probe();
        Throwable failure = failure(mutant, probe);
        for (long seed = 1; null == failure && probe.isOfASeed() && seed <= EngineMutants.SEEDS; seed++)
        {
            probe = mutant.probe().of(seed);
            failure = failure(mutant, probe);
        }

        assertNotNull(failure, () -> "no test fails although " + mutant);
        if (!probe.equals(mutant.probe()))
        {
            System.out.println("although " + mutant + ", " + mutant.probe() + " passes now; " + probe + " fails");
        }

        final String text = rootOf(failure).toString();
        reporter.publishEntry(mutant.name(), probe + ": " + text.substring(0, Math.min(text.length(), MOST_REPORTED)));
    }

    @ParameterizedTest
    @MethodSource("slowMutants")
    @Thorough("other mutants of the same parts in the gate; here those by which worlds wait up to a bound")
    void shouldFailOnTheSlowMutant(final Mutant mutant, final TestReporter reporter)
    {
        shouldFailOnTheMutant(mutant, reporter);
    }

    private static Throwable failure(final Mutant mutant, final Probe probe)
    {
        final MutantLoader loader = new MutantLoader(mutant);
        // Now, so that an edit which does not find its place is no failure of the probe.
        assertDoesNotThrow(() -> loader.loadClass(mutant.className()));
        final Throwable failure = run(probe, loader);
        for (Throwable cause = failure; null != cause; cause = cause.getCause())
        {
            assertFalse(cause instanceof LinkageError, () -> "the changed class is not valid: " + rootOf(failure));
        }

        return failure;
    }

    private static Throwable run(final Probe probe, final MutantLoader loader)
    {
        return assertTimeoutPreemptively(BOUND, () -> probe.run(loader), () -> probe + " hangs");
    }

    private static Throwable rootOf(final Throwable failure)
    {
        Throwable root = failure;
        while (null != root.getCause())
        {
            root = root.getCause();
        }

        return root;
    }

    @Test
    void shouldHaveMutantsOfAllParts()
    {
        assertTrue(EngineMutants.ALL.size() >= LEAST);
        assertEquals(EngineMutants.ALL.size(), EngineMutants.ALL.stream().map(Mutant::name).distinct().count());
        for (final String part : List.of("internal.normal", "internal.ring", "internal.connect", "internal.plan",
            "internal.wire", "internal.world", "internal.membership", "internal.runtime", "internal.steps",
            "lowlatency"))
        {
            final long count = EngineMutants.ALL.stream()
                .filter((one) -> one.className().startsWith("dev.transload.engine." + part + ".")).count();
            assertTrue(count >= ("lowlatency".equals(part) ? LEAST_OF_LOW_LATENCY : 1), () -> count + " of " + part);
        }
    }

    @Test
    void shouldRefuseEditsThatDoNotFindTheirPlace()
    {
        final String name = "dev.transload.engine.internal.ring.RowPuts";
        assertRefused(name, in("stepOff").call("Channel.signal").leaveOut(0), "has 0 methods stepOff, expected 1");
        assertRefused(name, in("send").call("Channel.signal").leaveOut(0), "has 2 methods send, expected 1");
        assertRefused(name, in("put").call("Channel.flush").leaveOut(0),
            "RowPuts.put has 0 of call of Channel.flush, expected 1: adapt EngineMutants");
        assertRefused(name, in("put").call("Channel.putRows").nth(1, 2).leaveOut(0),
            "has 1 of call of Channel.putRows");
    }

    private static void assertRefused(final String name, final Edit edit, final String part)
    {
        final MutantLoader loader = new MutantLoader(new Mutant("refused", name, edit, null));
        final String message =
            assertThrows(IllegalStateException.class, () -> loader.loadClass(name)).getMessage();
        assertTrue(message.contains(part), message);
    }
}
