/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.tck;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Each test of the rendezvous kit, and no other, fails on a rendezvous that breaks its rule. */
class RendezvousMutantTest
{
    static Set<String> rules()
    {
        return Set.of("RDV-1", "RDV-2", "RDV-3", "RDV-4", "RDV-5", "RDV-6", "RDV-7", "RDV-9");
    }

    @ParameterizedTest
    @MethodSource("rules")
    void shouldFailOnTheRendezvousThatBreaksTheRule(final String rule)
    {
        final ConformanceReport report = ConformanceRun.rendezvous(() -> new SketchRendezvous(rule));
        assertEquals(Set.of(rule), report.rules(ConformanceReport.Status.FAILED));
    }
}
