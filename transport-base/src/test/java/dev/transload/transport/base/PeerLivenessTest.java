/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.base;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class PeerLivenessTest
{
    private static final long SECOND_NS = TimeUnit.SECONDS.toNanos(1);

    private final ProcessIdentity own = ProcessIdentity.local();
    private final ProcessIdentity far = Ranks.farIdentity(1).process();

    @Test
    void shouldSendSignsOfLifeTenTimesInATimeout()
    {
        assertEquals(SECOND_NS / 10, new PeerLiveness(own, SECOND_NS).heartbeatNs());
        assertEquals(TimeUnit.MILLISECONDS.toNanos(250), new PeerLiveness(own, 60 * SECOND_NS).heartbeatNs());
        assertEquals(TimeUnit.MICROSECONDS.toNanos(100), new PeerLiveness(own, 1).heartbeatNs());
    }

    @Test
    void shouldWaitForTheTimeoutWhereNothingElseTells()
    {
        final PeerLiveness liveness = new PeerLiveness(own, SECOND_NS);
        assertNull(liveness.verdict(far, true, SECOND_NS));
        assertEquals("no sign of life for 2000 ms, allowed are 1000 ms", liveness.verdict(far, true, 2 * SECOND_NS));
    }

    @Test
    void shouldBePatientWithAPeerThatWasNeverHeard()
    {
        final PeerLiveness liveness = new PeerLiveness(own, SECOND_NS);
        assertNull(liveness.verdict(far, false, 5 * SECOND_NS));
        assertEquals("no answer within 6000 ms, allowed are 5000 ms", liveness.verdict(far, false, 6 * SECOND_NS));
    }

    @Test
    void shouldLookForTheProcessOnceHeartbeatsAreMissing()
    {
        final PeerLiveness liveness = new PeerLiveness(own, SECOND_NS);
        final ProcessIdentity gone = new ProcessIdentity(own.pid(), own.start() - 1, own.host());
        assertNull(liveness.verdict(gone, true, 2 * liveness.heartbeatNs()));
        assertEquals("its process " + own.pid() + " is gone",
            liveness.verdict(gone, true, 2 * liveness.heartbeatNs() + 1));
    }
}
