/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.launch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.transload.cli.outcome.Outcome;
import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class RankEventsTest
{
    @Test
    void shouldFindEventsAmongWhatLibrariesWrite()
    {
        final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        final PrintStream out = new PrintStream(bytes, true, StandardCharsets.UTF_8);
        final RankEvents events = new RankEvents(out);
        out.print("warning without an end");
        events.step("verifying", 3, 7);
        events.found(new ObjectMapper().createObjectNode().put("best", 2));
        events.note("a line for a person");
        events.joined();
        events.partial();
        events.checkpoint(() -> new ObjectMapper().createObjectNode().put("rows", 3));
        events.partial();
        events.done(new ObjectMapper().createObjectNode().put("rows", 5));
        events.failed(new Outcome(4, "one\u00e9 sentence", true, "trace\nof two lines"));

        final List<RankEvents.Event> found = events(bytes.toString(StandardCharsets.UTF_8));
        assertEquals(8, found.size());
        assertEquals(new RankEvents.Step("verifying", 3, 7), found.get(0));
        assertEquals(2, ((RankEvents.Found)found.get(1)).finding().get("best").asInt());
        assertEquals(new RankEvents.Note("a line for a person"), found.get(2));
        assertEquals(new RankEvents.Joined(0), found.get(3));
        assertEquals(new RankEvents.Partial(null), found.get(4));
        assertEquals(3, ((RankEvents.Partial)found.get(5)).report().get("rows").asInt());
        assertEquals(5, ((RankEvents.Done)found.get(6)).report().get("rows").asInt());
        assertEquals(new Outcome(4, "one\u00e9 sentence", true, "trace\nof two lines"),
            ((RankEvents.Failed)found.get(7)).outcome());
        assertFalse(RankEvents.Reader.isEvent("UCX WARN something"));
    }

    /** What is written in one piece of at most 4096 bytes stays in one piece, even while a library writes too. */
    @Test
    void shouldCutALongReportIntoPiecesThatAPipeKeepsWhole()
    {
        final String text = "r\u00f6ws ".repeat(3000);
        final List<String> pieces = new ArrayList<>();
        final OutputStream pipe = new OutputStream()
        {
            @Override
            public void write(final int one)
            {
                pieces.add(String.valueOf((char)one));
            }

            @Override
            public void write(final byte[] bytes, final int offset, final int length)
            {
                pieces.add(new String(bytes, offset, length, StandardCharsets.US_ASCII));
            }
        };
        new RankEvents(new PrintStream(pipe, false, StandardCharsets.UTF_8))
            .done(new ObjectMapper().createObjectNode().put("text", text));

        assertTrue(pieces.size() > 4, "pieces: " + pieces.size());
        assertTrue(pieces.stream().allMatch((piece) -> piece.length() <= 4096 &&
            piece.startsWith("\n") && piece.endsWith("\n")));
        final List<RankEvents.Event> found = events(String.join("a library's half of a line", pieces));
        assertEquals(1, found.size());
        assertEquals(text, ((RankEvents.Done)found.get(0)).report().get("text").asText());
    }

    @Test
    void shouldIgnoreALineThatAKillCutShort()
    {
        final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        new RankEvents(new PrintStream(bytes, true, StandardCharsets.UTF_8)).step("exchanging", 3, 7);
        final String line = bytes.toString(StandardCharsets.UTF_8).strip();

        assertEquals(1, events(line).size());
        for (int length = 0; length < line.length(); length++)
        {
            assertEquals(List.of(), events(line.substring(0, length)), line.substring(0, length));
        }
    }

    private static List<RankEvents.Event> events(final String written)
    {
        final RankEvents.Reader reader = new RankEvents.Reader();
        return written.lines().filter(RankEvents.Reader::isEvent).map(reader::take).flatMap(Optional::stream).toList();
    }
}
