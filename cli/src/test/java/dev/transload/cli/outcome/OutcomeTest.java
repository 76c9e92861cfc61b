/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.outcome;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.transload.engine.BadInputException;
import dev.transload.engine.CallFailedException;
import dev.transload.rendezvous.RendezvousException;
import dev.transload.spi.ConfigurationException;
import dev.transload.spi.PeerFailedException;
import dev.transload.spi.TransportUnavailableException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class OutcomeTest
{
    @ParameterizedTest
    @CsvSource({ "DUPLICATE_RANK, 2", "WORLD_MISMATCH, 2", "REFUSED, 2", "BAD_CONFIGURATION, 2",
        "ADDRESS_UNAVAILABLE, 3", "MISSING_RANKS, 4", "MEMBER_LOST, 4", "CLOSED, 4" })
    void shouldMapTroubleOfTheRendezvous(final RendezvousException.Reason reason, final int exitCode)
    {
        assertEquals(exitCode, Outcome.of(new RendezvousException(reason, "sentence")).exitCode());
    }

    @ParameterizedTest
    @CsvSource({ "PEER_FAILED, 4, true", "DEADLINE, 4, true", "ABORTED_BY_PEER, 4, true", "MISMATCH, 2, false",
        "INTERNAL, 1, false", "RETIRED, 1, true", "EVICTED, 4, true" })
    void shouldMapFailedCalls(final CallFailedException.Reason reason, final int exitCode, final boolean isEcho)
    {
        final Outcome outcome = Outcome.of(new CallFailedException(reason, 1, "sentence", null));

        assertEquals(exitCode, outcome.exitCode());
        assertEquals(isEcho, outcome.isEcho());
    }

    @Test
    void shouldMapTheCauseOfAnInternalFailure()
    {
        assertEquals(ExitCodes.UNAVAILABLE, Outcome.of(new CallFailedException(CallFailedException.Reason.INTERNAL, -1,
            "sentence", new TransportUnavailableException("no room", null))).exitCode());
    }

    @Test
    void shouldMapWhatIsWrongBeforeACall()
    {
        assertEquals(ExitCodes.BAD_INPUT, Outcome.of(new ConfigurationException("a")).exitCode());
        assertEquals(ExitCodes.BAD_INPUT, Outcome.of(new BadInputException("a")).exitCode());
        assertEquals(ExitCodes.UNAVAILABLE, Outcome.of(new TransportUnavailableException("a", null)).exitCode());
        assertEquals(ExitCodes.PEER_FAILED, Outcome.of(new PeerFailedException(2, "a", 0, null)).exitCode());
        assertEquals(ExitCodes.FAILED, Outcome.of(new IllegalStateException("a")).exitCode());
    }

    @Test
    void shouldMapErrorsToASentenceOfTheirCause()
    {
        final Outcome memory = Outcome.of(new OutOfMemoryError("Java heap space"));
        final Outcome initialiser = Outcome.of(new ExceptionInInitializerError(new ConfigurationException("a")));
        final Outcome path = Outcome.of(assertThrows(InvalidPathException.class, () -> Path.of("a\0b")));

        assertEquals(ExitCodes.UNAVAILABLE, memory.exitCode());
        assertTrue(memory.sentence().startsWith("this JVM has not enough memory: Java heap space"), memory.sentence());
        assertEquals(ExitCodes.BAD_INPUT, initialiser.exitCode());
        assertEquals("a", initialiser.sentence());
        assertEquals(ExitCodes.BAD_INPUT, path.exitCode());
        assertTrue(path.sentence().startsWith("'a?b' is not a path: "), path.sentence());
        assertEquals(ExitCodes.FAILED, Outcome.of(new StackOverflowError()).exitCode());
        assertEquals(ExitCodes.UNAVAILABLE, Outcome.of(new NoClassDefFoundError("a/B")).exitCode());
    }

    @Test
    void shouldSayOneSentenceAndKeepTheTraceApart()
    {
        final Outcome outcome = Outcome.of(new ConfigurationException("first line\n  second line"));

        assertEquals("first line second line", outcome.sentence());
        assertFalse(outcome.sentence().contains("Exception"));
        assertTrue(outcome.trace().contains("OutcomeTest"));
        assertTrue(Outcome.of(new IllegalStateException("a")).sentence().contains("--verbose"));
    }
}
