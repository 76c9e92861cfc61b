/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.tck.stepping;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.transload.spi.Capability;
import dev.transload.spi.MemoryKind;
import dev.transload.tck.ConformanceReport;
import dev.transload.tck.ConformanceReport.Status;
import dev.transload.tck.ConformanceRun;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class ManySeedsTest
{
    private static final long SEEDS = Long.getLong("test.seeds", 300) / 12;

    @Test
    void shouldConformInHostMemory()
    {
        for (long seed = 0; seed < SEEDS; seed++)
        {
            assertConforms(seed, SteppingOptions.host().autonomousTarget(0 == seed % 2));
        }
    }

    @Test
    void shouldConformInOpaqueMemory()
    {
        for (long seed = 0; seed < SEEDS; seed++)
        {
            assertConforms(seed, SteppingOptions.opaque().queueCapacity(0 == seed % 2 ? 4 : 64));
        }
    }

    /** Signals are puts of totals. */
    @Test
    void shouldConformWithoutAtomics()
    {
        for (long seed = 0; seed < SEEDS; seed++)
        {
            final SteppingOptions options = 0 == seed % 2 ? SteppingOptions.host() : SteppingOptions.opaque();
            final ConformanceReport report =
                assertConforms(seed, options.withoutAtomics().autonomousTarget(0 == seed % 3));
            assertTrue(report.rules(Status.SKIPPED).containsAll(Set.of("ADD-1", "ORD-6")), report::toString);
        }
    }

    @Test
    void shouldConformWithCapabilitiesMissing()
    {
        final ConformanceReport report =
            assertConforms(1, SteppingOptions.opaque().optional(Set.<Capability>of()).offsetAlignment(16));
        assertEquals(Set.of("ADD-1", "MIS-7", "ORD-6", "POS-7", "PUT-4", "WIN-2", "WIN-3", "WIN-4", "WIN-5", "WIN-6"),
            report.rules(Status.SKIPPED));
        assertTrue(report.results().stream().filter((result) -> Status.SKIPPED == result.status())
            .noneMatch((result) -> result.reason().startsWith("Assumption failed")), report::toString);
    }

    @Test
    void shouldConformWhetherCalmOrWild()
    {
        for (final double aggressiveness : new double[] {0, 0.1, 1})
        {
            assertConforms(2, SteppingOptions.opaque().aggressiveness(aggressiveness));
        }
    }

    @Test
    void shouldHaveConformingKernels()
    {
        for (final MemoryKind kind : List.of(MemoryKind.HOST, SteppingOptions.OPAQUE))
        {
            for (long seed = 0; seed < SEEDS / 4; seed++)
            {
                final SteppingFabric fabric = new SteppingFabric(seed, 1, SteppingOptions.opaque());
                final ConformanceReport report =
                    ConformanceRun.kernels(() -> new SteppingKernelsFixture(fabric, kind));
                assertTrue(report.isConformant(), kind + ", seed " + seed + ": " + report);
                assertEquals(Set.of("KRN-14"), report.rules(Status.SKIPPED));
            }
        }
    }

    private static ConformanceReport assertConforms(final long seed, final SteppingOptions options)
    {
        final ConformanceReport report = ConformanceRun.transport(
            (worldSize) -> new SteppingFixture(new SteppingFabric(seed, worldSize, options)));
        assertTrue(report.isConformant(), () -> "seed " + seed + ", " + options + ": " +
            report.results().stream().filter((result) -> Status.FAILED == result.status()).toList());
        return report;
    }
}
