/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.tck;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Each test of the rendezvous kit fails on a rendezvous that breaks its rule. No other test does, except that of a rank
 * which is lost and returns: that needs most of the other rules.
 */
class RendezvousMutantTest
{
    private static final String RETURN = "RDV-10";

    static Set<String> rules()
    {
        return Set.of("RDV-1", "RDV-2", "RDV-3", "RDV-4", "RDV-5", "RDV-6", "RDV-7", "RDV-9", RETURN);
    }

    @ParameterizedTest
    @MethodSource("rules")
    void shouldFailOnTheRendezvousThatBreaksTheRule(final String rule)
    {
        final ConformanceReport report = ConformanceRun.rendezvous(() -> new SketchRendezvous(rule));
        final Set<String> failed = new TreeSet<>(report.rules(ConformanceReport.Status.FAILED));
        if (!RETURN.equals(rule))
        {
            failed.remove(RETURN);
        }

        assertEquals(Set.of(rule), failed);
    }
}
