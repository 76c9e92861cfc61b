/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.metrics;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class EngineMetricsTest
{
    private final FakeCounters counters = new FakeCounters();
    private final EngineMetrics metrics = new EngineMetrics(counters, 2, 4, Long.MAX_VALUE);
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

    private double staged()
    {
        return registry.get("transload.staged").functionCounter().count();
    }
}
