/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.ring;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.transload.engine.connect.Connection;
import dev.transload.engine.connect.PeerDirectory;
import dev.transload.engine.observe.ThreadCounters;
import dev.transload.engine.world.Stage;
import dev.transload.spi.Channel;
import dev.transload.spi.RowList;
import dev.transload.spi.Worker;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

/** A transport may be slower to release rows than the consumer is to return credit for them. */
class RingTransferTest
{
    private static final int SLOTS = 4;

    private long position;
    private long released;
    private long added;

    @Test
    void shouldHoldASlotUntilItsRowIsReleased()
    {
        final RingTransfer transfer = transfer();
        send(transfer, 0, 3);
        assertEquals(3, transfer.finished());
        assertTrue(transfer.isReleased(3), "nothing was sent from slot 3 yet");
        assertFalse(transfer.isReleased(4), "row 0 of slot 0 is not released");
        released = 2;
        assertFalse(transfer.isReleased(6), "row 2 of slot 2 is not released");
        released = 3;
        assertTrue(transfer.isReleased(6));
    }

    @Test
    void shouldHoldTheSlotsOfAChunkThatWrapsAround()
    {
        final RingTransfer transfer = transfer();
        send(transfer, 0, 3);
        released = position;
        send(transfer, 3, 3);
        assertEquals(6, transfer.finished());
        assertTrue(transfer.isReleased(6), "row 2 of slot 2 is released");
        assertFalse(transfer.isReleased(7), "row 3 of slot 3 is not released");
        assertFalse(transfer.isReleased(9), "row 5 of slot 1 is not released");
        released = position;
        assertTrue(transfer.isReleased(9));
    }

    @Test
    void shouldTellOfAHeldChunkWithTheNext()
    {
        final RingTransfer transfer = transfer();
        transfer.begin(0, 2);
        transfer.hold();
        transfer.advance();
        assertFalse(transfer.isActive());
        assertTrue(transfer.isHolding());
        assertEquals(2, position, "rows alone: no signal");
        assertEquals(0, added);
        assertFalse(transfer.isReleased(4), "row 0 of slot 0 is not released");
        send(transfer, 2, 1);
        assertEquals(4, position, "one row more, and a signal");
        assertFalse(transfer.isHolding());
        assertEquals(3, added);
        assertEquals(3, transfer.finished());
    }

    private static void send(final RingTransfer transfer, final long firstRow, final int rows)
    {
        transfer.begin(firstRow, rows);
        transfer.advance();
        assertFalse(transfer.isActive());
    }

    private long add(final long delta)
    {
        added += delta;
        return ++position;
    }

    private RingTransfer transfer()
    {
        final PeerDirectory directory = fake(PeerDirectory.class, (proxy, method, arguments) ->
            int.class == method.getReturnType() ? (Object)0 : long.class == method.getReturnType() ? 1L : null);
        final Channel channel = fake(Channel.class, (proxy, method, arguments) -> switch (method.getName())
        {
            case "putRows" -> position += (int)arguments[4];
            case "signal" -> add((long)arguments[2]);
            case "position" -> position;
            case "releasedPosition" -> released;
            default -> throw new UnsupportedOperationException(method.getName());
        });
        final Worker worker = fake(Worker.class,
            (proxy, method, arguments) -> "connect".equals(method.getName()) ? channel : null);
        final Connection link =
            new Connection(Stage.SCALE_UP, 0, 1, Connection.Use.LANE, directory, new ThreadCounters(2));
        link.open(worker, 0, null);
        final RowList rows = new RowList(ByteBuffer.allocateDirect(SLOTS * RowList.STRIDE), SLOTS);
        final RowSet set = new RowSet(rows, null);
        set.use(null, 8);
        return new RingTransfer(link, SLOTS, 0, set);
    }

    private static <T> T fake(final Class<T> type, final InvocationHandler handler)
    {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[]{type}, handler));
    }
}
