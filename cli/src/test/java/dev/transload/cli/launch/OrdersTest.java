/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.launch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.transload.rendezvous.RendezvousException;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(10)
class OrdersTest
{
    private final Orders orders = new Orders(1);

    @Test
    void shouldNotJoinAWorldThatIsOver()
    {
        orders.join(2);

        assertThrows(RendezvousException.class, () -> orders.joining(1, () ->
        {
            throw new AssertionError("it is over");
        }));
        assertTrue(orders.isOver(1));
        assertFalse(orders.isOver(2));
    }

    @Test
    void shouldEndAJoinForALaterWorld()
    {
        assertThrows(IllegalStateException.class, () -> orders.joining(1, () ->
        {
            orders.join(2);
            assertTrue(Thread.interrupted());
            throw new IllegalStateException("interrupted");
        }));

        orders.join(3);
        assertFalse(Thread.currentThread().isInterrupted(), "it joins nothing any more");
    }

    @Test
    void shouldGiveTheLatestOrder() throws InterruptedException
    {
        orders.join(2);
        orders.join(4);
        assertEquals(OptionalInt.of(4), orders.awaitNext(1));

        orders.end();
        assertEquals(OptionalInt.empty(), orders.awaitNext(1));
    }
}
