/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.launch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.transload.cli.outcome.Outcome;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
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
        events.done(new ObjectMapper().createObjectNode().put("rows", 5));
        events.failed(new Outcome(4, "one\u00e9 sentence", true, "trace\nof two lines"));

        final List<RankEvents.Event> found = bytes.toString(StandardCharsets.UTF_8).lines()
            .map(RankEvents::parse).flatMap(Optional::stream).toList();
        assertEquals(3, found.size());
        assertEquals(new RankEvents.Step("verifying", 3, 7), found.get(0));
        assertEquals(5, ((RankEvents.Done)found.get(1)).report().get("rows").asInt());
        assertEquals(new Outcome(4, "one\u00e9 sentence", true, "trace\nof two lines"),
            ((RankEvents.Failed)found.get(2)).outcome());
        assertTrue(RankEvents.parse("UCX WARN something").isEmpty());
    }

    @Test
    void shouldIgnoreALineThatAKillCutShort()
    {
        final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        new RankEvents(new PrintStream(bytes, true, StandardCharsets.UTF_8)).step("exchanging", 3, 7);
        final String line = bytes.toString(StandardCharsets.UTF_8).strip();

        assertTrue(RankEvents.parse(line).isPresent());
        for (int length = 0; length < line.length(); length++)
        {
            assertTrue(RankEvents.parse(line.substring(0, length)).isEmpty(), line.substring(0, length));
        }
    }
}
