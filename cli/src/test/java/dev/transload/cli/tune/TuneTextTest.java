/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.tune;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.transload.cli.CliReference;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class TuneTextTest
{
    @Test
    void shouldTellOfASearchByTheDocumentedKeys()
    {
        final Ratio ratio = new Ratio(0.6, 0.5, 0.7, 5, 5);
        final TuneReport report = new TuneReport(true, "faster", ratio, 20_820, Map.of("scale-up.chunk", "1"),
            Map.of("scale-up.chunk", "8"), List.of(new TuneReport.Change("scale-up.chunk", "1", "8", ratio)),
            List.of(new TuneReport.Tried(Map.of(), 20_820, 30_000, null, null),
                new TuneReport.Tried(Map.of("scale-up.chunk", "8"), 14_980, 29_000, ratio, null)), 12);

        CliReference.assertKeys("tune", Set.of(), TuneCommand.json(new ObjectMapper().valueToTree(report), "normal",
            "a world", Duration.ofMinutes(1), 7, Path.of("tuned.conf"), true));
    }

    /** The candidate was slower in microseconds, since the machine was busier then, and is faster all the same. */
    @Test
    void shouldOrderByRatiosAndShowNoTimesOfDifferentMoments()
    {
        final Ratio ratio = new Ratio(0.622, 0.5, 0.7, 5, 5);
        final TuneReport report = new TuneReport(true, "faster in 5 of 5 pairs", ratio, 20_820, Map.of("channels", "1"),
            Map.of("channels", "8"), List.of(), List.of(
                new TuneReport.Tried(Map.of(), 20_820, 30_000, null, null),
                new TuneReport.Tried(Map.of("channels", "8"), 34_980, 29_000, ratio, null),
                new TuneReport.Tried(Map.of("scale-up.chunk", "9"), 0, 0, null, "no room")), 12);

        assertEquals(List.of(
            "a world",
            "default: channels = 1",
            "time of the default: 20.820 ms",
            "",
            "   CPU ms     ratio  low to high     tried",
            "   29.000     0.622  0.500 to 0.700  channels = 8",
            "   30.000         1                  the default",
            "        -   skipped                  scale-up.chunk = 9: no room",
            "",
            "chosen: faster in 5 of 5 pairs, 0.622 (0.500 to 0.700 in 5 pairs) of its time"),
            TuneText.of(report, "a world").lines().toList());
    }
}
