/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.metrics;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.transload.engine.PeerWait;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class EngineMetricsTest
{
    private final FakeCounters counters = new FakeCounters();
    private final EngineMetrics metrics =
        new EngineMetrics(counters, Tags.of("rank", "2", "engine", "0"), 4, Long.MAX_VALUE);
    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

    @BeforeEach
    void bind()
    {
        metrics.bindTo(registry);
    }

    @AfterEach
    void close()
    {
        registry.close();
    }

    @Test
    void shouldNotGoBackBehindWhatWasReadTogether()
    {
        counters.unit = 1;
        assertEquals(0, staged(), "what was so at the start is young enough");
        assertEquals(14, metrics.atOneMoment(this::staged));
        assertEquals(14, staged());
    }

    @Test
    void shouldReadTheMomentOfTheReadingAround()
    {
        counters.unit = 1;
        final double last = metrics.atOneMoment(() ->
        {
            counters.unit = 2;
            assertEquals(14, metrics.atOneMoment(this::staged));
            return staged();
        });
        assertEquals(14, last);
        assertEquals(28, metrics.atOneMoment(this::staged));
    }

    @Test
    void shouldDocumentEachCounterThatIsWaitedFor() throws IOException
    {
        final List<String> documented = Files.readAllLines(Path.of("..", "docs", "observability.md")).stream()
            .filter((line) -> line.startsWith("| `")).map((line) -> line.split("\\|")[1]).toList();
        assertEquals(List.of(), PeerWait.counters().stream()
            .filter((counter) -> documented.stream().noneMatch((cell) -> cell.contains("`" + counter + "`"))).toList());
    }

    private double staged()
    {
        return registry.get("transload.staged").functionCounter().count();
    }
}
