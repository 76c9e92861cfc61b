/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.program;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class InterruptsTest
{
    private static final int SIGINT = 130;
    private static final int SIGTERM = 143;

    private final List<String> ends = new ArrayList<>();
    private final Interrupts interrupts =
        new Interrupts((exitCode) -> ends.add("orderly " + exitCode), (exitCode) -> ends.add("at once " + exitCode));

    @Test
    void shouldAskWhoListensFirstAndEndAtOnceThen()
    {
        interrupts.listen((exitCode) -> ends.add("told " + exitCode));

        interrupts.signal(SIGINT);
        interrupts.signal(SIGTERM);

        assertEquals(List.of("told 130", "at once 143"), ends);
        assertEquals(SIGINT, interrupts.code(), "the first one is the cause");
    }

    @Test
    void shouldEndTheProgramWhereNobodyListens()
    {
        interrupts.listen((exitCode) -> ends.add("told")).close();

        interrupts.signal(SIGTERM);

        assertEquals(List.of("orderly 143"), ends);
    }

    @Test
    void shouldTellWhoListensTooLate()
    {
        interrupts.signal(SIGINT);
        interrupts.listen((exitCode) -> ends.add("told " + exitCode));

        assertEquals(List.of("orderly 130", "told 130"), ends);
    }

    @Test
    void shouldNameSignals()
    {
        assertEquals("SIGINT", Interrupts.name(SIGINT));
        assertEquals("SIGTERM", Interrupts.name(SIGTERM));
    }
}
