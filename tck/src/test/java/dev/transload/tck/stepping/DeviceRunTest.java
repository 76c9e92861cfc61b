/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.tck.stepping;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.transload.tck.ConformanceFixture;
import dev.transload.tck.ConformanceReport.Status;
import dev.transload.tck.DeviceReport.Check;
import dev.transload.tck.DeviceRun;
import dev.transload.tck.DeviceSetup;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Checks of devices fail on transports that are broken, and only there. */
class DeviceRunTest
{
    private static final int ROUNDS = 100;

    @ParameterizedTest
    @ValueSource(strings = {"data-then-flag", "data-then-kernel", "adds", "peer-exit"})
    void shouldPassOnAConformingTransport(final String name)
    {
        final Check check = DeviceRun.check(name, setup(null));
        assertEquals(Status.PASSED, check.status(), check::reason);
        assertTrue(check.durationNs() > 0);
    }

    @ParameterizedTest
    @CsvSource({"data-then-flag, ORD_2", "data-then-kernel, ORD_3", "data-then-kernel, ORD_8", "adds, SIG_2",
        "peer-exit, FAIL_1"})
    void shouldFailOnATransportThatIsBroken(final String name, final Fault fault)
    {
        final Check check = DeviceRun.check(name, setup(fault));
        assertEquals(Status.FAILED, check.status(), check::reason);
    }

    @Test
    void shouldCountRounds()
    {
        final Check check = DeviceRun.check("data-then-flag", setup(null));
        assertEquals(ROUNDS, check.figures().get("rounds"), check::reason);
    }

    @Test
    void shouldRefuseChecksThatItDoesNotKnow()
    {
        assertThrows(IllegalArgumentException.class, () -> DeviceRun.check("warp", setup(null)));
    }

    private static DeviceSetup setup(final Fault fault)
    {
        final Supplier<ConformanceFixture> fixture = () -> new SteppingFixture(
            new SteppingFabric(1, 2, SteppingOptions.opaque(), fault), TimeUnit.SECONDS.toNanos(5));
        return new DeviceSetup(List.of(0, 0), Map.of(), fixture, fixture, ROUNDS);
    }
}
