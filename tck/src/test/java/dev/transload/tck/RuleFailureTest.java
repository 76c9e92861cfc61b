/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.tck;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.transload.spi.Availability;
import dev.transload.spi.ConfigOption;
import dev.transload.spi.Transport;
import dev.transload.spi.TransportConfig;
import dev.transload.spi.TransportProvider;
import java.util.List;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

class RuleFailureTest
{
    @Test
    void shouldEndWithTheRuleAndItsIntent()
    {
        final SpiRules.Entry rule = SpiRules.of("PRV-2");
        assertEquals("PRV-2 FAILED name 'No name' ==> expected: <true> but was: <false>\n" +
            "Rule PRV-2: " + rule.text() + "\nIntent: " + rule.intent(), outcome("PRV-2"));
    }

    @Test
    void shouldNameAnExceptionWithoutMessage()
    {
        final SpiRules.Entry rule = SpiRules.of("PRV-3");
        assertEquals("PRV-3 FAILED java.lang.UnsupportedOperationException\n" +
            "Rule PRV-3: " + rule.text() + "\nIntent: " + rule.intent(), outcome("PRV-3"));
    }

    @Test
    void shouldLeaveSkippedTestsAlone()
    {
        assertEquals("PRV-4 SKIPPED no options here", outcome("PRV-4"));
    }

    private static String outcome(final String rule)
    {
        final ConformanceReport.Result result = ConformanceRun.transport(
            (worldSize) -> Nameless::new, rule::equals).results().get(0);
        return result.rule() + " " + result.status() + " " + result.reason();
    }

    /** Has a name that is not allowed, and nothing else. */
    private static final class Nameless implements TransportProvider
    {
        @Override
        public String name()
        {
            return "No name";
        }

        @Override
        public int spiVersion()
        {
            throw new UnsupportedOperationException();
        }

        @Override
        public List<ConfigOption> options()
        {
            Assumptions.abort("no options here");
            return List.of();
        }

        @Override
        public Availability probe(final TransportConfig config)
        {
            throw new UnsupportedOperationException();
        }

        @Override
        public Transport open(final TransportConfig config)
        {
            throw new UnsupportedOperationException();
        }
    }
}
