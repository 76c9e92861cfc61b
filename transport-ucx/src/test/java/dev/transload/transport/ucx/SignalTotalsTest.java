/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.ucx;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.transload.spi.AtomicScope;
import dev.transload.spi.Capability;
import dev.transload.spi.Channel;
import dev.transload.spi.RemoteSignals;
import dev.transload.spi.SignalRegion;
import dev.transload.spi.UnsupportedCapabilityException;
import java.lang.reflect.Field;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.openucx.jucx.ucp.UcpParams;

/** Over TCP without adds of UCX, as with UCX 1.16 and newer: signals are written by the channel that adds to them. */
@NeedsUcx
@Timeout(120)
class SignalTotalsTest
{
    private static final Map<String, String> OPTIONS = Map.of("tls", "tcp", "atomics", "none");

    @Test
    void shouldAddToSignalsOfItsOwn()
    {
        try (Rank near = new Rank(0, OPTIONS); Rank far = new Rank(1, OPTIONS))
        {
            final Rank.Lane lane = near.lane(far);
            final Operations operations = lane.operations();
            long expected = 0;
            for (int delta = 1; delta <= 50; delta++)
            {
                final int added = delta;
                operations.accept(() -> operations.channel().atomicAdd(lane.signals(), 1, added));
                operations.accept(() -> operations.channel().atomicAdd(lane.signals(), 2, 1));
                expected += delta;
            }

            operations.flush();
            assertEquals(0, far.signals().getAcquire(0));
            assertEquals(expected, far.signals().getAcquire(1));
            assertEquals(50, far.signals().getAcquire(2));
            assertEquals(0, far.signals().getAcquire(3));
            lane.exchange(7);
        }
    }

    /** The total belongs to the channel and the signals, not to what they were imported as. */
    @Test
    void shouldAddBySeveralImportsOfTheSameSignals()
    {
        try (Rank near = new Rank(0, OPTIONS); Rank far = new Rank(1, OPTIONS))
        {
            final Rank.Lane lane = near.lane(far);
            final Operations operations = lane.operations();
            final RemoteSignals again = near.worker().importSignals(1, far.signals().descriptor());
            for (int i = 0; i < 10; i++)
            {
                operations.accept(() -> operations.channel().atomicAdd(lane.signals(), 0, 1));
                operations.accept(() -> operations.channel().atomicAdd(again, 0, 1));
            }

            operations.flush();
            assertEquals(20, far.signals().getAcquire(0));
        }
    }

    /** A word is written again only when its last write is done: two might pass each other. */
    @Test
    void shouldHoldBackASecondWriteOfASignal()
    {
        try (Rank near = new Rank(0, OPTIONS); Rank far = new Rank(1, OPTIONS))
        {
            final Rank.Lane lane = near.lane(far);
            final Channel channel = lane.operations().channel();
            lane.operations().accept(() -> channel.atomicAdd(lane.signals(), 0, 1));
            final long position = channel.position();
            assertTrue(channel.deliveredPosition() < position, "it is under way");
            assertEquals(Channel.BACK_PRESSURED, channel.atomicAdd(lane.signals(), 0, 1));
            assertEquals(position + 1, channel.atomicAdd(lane.signals(), 1, 1), "another signal is not held back");
        }
    }

    @Test
    void shouldGoOnFromWhatAnEarlierChannelAdded()
    {
        try (Rank near = new Rank(0, OPTIONS); Rank far = new Rank(1, OPTIONS))
        {
            for (int round = 1; round <= 3; round++)
            {
                final Rank.Lane lane = near.lane(far);
                lane.exchange(round);
                assertEquals(round, far.signals().getAcquire(0));
                lane.close();
            }
        }
    }

    /** UCX of the peer has no atomics and would drop an add without a word. */
    @Test
    void shouldPutSignalsOfAPeerWithoutAtomics()
    {
        final Map<String, String> own = Map.of("tls", "tcp", "atomics", "ucx");
        try (Rank near = new Rank(0, own); Rank far = new Rank(1, OPTIONS))
        {
            final Rank.Lane there = near.lane(far);
            final Rank.Lane back = far.lane(near);
            for (int round = 1; round <= 3; round++)
            {
                there.exchange(round);
                back.exchange(round);
                final Operations operations = there.operations();
                operations.accept(() -> operations.channel().put(near.source(), 0, there.remote(), 64, 4096));
                operations.accept(() -> operations.channel().signal(there.signals(), 1, 2));
                operations.flush();
                assertEquals(round, near.signals().getAcquire(0));
                assertEquals(round, far.signals().getAcquire(0));
                assertEquals(2 * round, far.signals().getAcquire(1));
            }

            final Channel channel = there.operations().channel();
            assertThrows(UnsupportedCapabilityException.class, () -> channel.atomicAdd(there.remote(), 0, 1));
        }
    }

    /** Atomics of 64 bits are UCX's fourth feature, which a network card may lack. */
    @Test
    void shouldAskUcxForAtomicsOnlyWhereItAdds() throws ReflectiveOperationException
    {
        assertEquals(1 << 3, features(true) ^ features(false));
        assertEquals(1 << 3, features(true) & 1 << 3);
    }

    private static long features(final boolean takesAdds) throws ReflectiveOperationException
    {
        final Field field = UcpParams.class.getDeclaredField("features");
        field.setAccessible(true);
        return field.getLong(UcxContext.features(takesAdds));
    }

    @Test
    void shouldOfferNoWordsThatSeveralAddTo()
    {
        try (Rank near = new Rank(0, OPTIONS); Rank far = new Rank(1, Map.of("tls", "tcp", "atomics", "ucx")))
        {
            assertFalse(near.transport().capabilities().has(Capability.REGION_ATOMICS));
            assertFalse(near.transport().capabilities().has(Capability.SHARED_SIGNALS));
            assertEquals(AtomicScope.NONE, near.transport().capabilities().atomicScope());
            assertThrows(UnsupportedCapabilityException.class, () -> near.transport().allocateSignals(1, 2));

            final Rank.Lane lane = near.lane(far);
            final Channel channel = lane.operations().channel();
            assertThrows(UnsupportedCapabilityException.class, () -> channel.atomicAdd(lane.remote(), 0, 1));
            final SignalRegion shared = far.transport().allocateSignals(1, 2);
            final RemoteSignals imported = near.worker().importSignals(1, shared.descriptor());
            assertThrows(UnsupportedCapabilityException.class, () -> channel.atomicAdd(imported, 0, 1));
        }
    }
}
