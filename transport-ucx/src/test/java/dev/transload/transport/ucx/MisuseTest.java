/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.ucx;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.transload.spi.Access;
import dev.transload.spi.Channel;
import dev.transload.spi.MemoryKind;
import dev.transload.spi.MemoryRegion;
import dev.transload.spi.RowList;
import dev.transload.spi.SignalRegion;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What native code would crash on never reaches it. */
@NeedsUcx
@Timeout(120)
class MisuseTest
{
    private static final int ROUNDS = 50;
    private static final int READERS = 3;

    private static Map<String, String> options(final String tls, final String direct)
    {
        return Map.of("tls", tls.replace(';', ','), "direct", direct);
    }

    @ParameterizedTest
    @CsvSource({"posix;self, auto", "posix;self, never", "tcp, auto"})
    void shouldRefuseRangesBeforeUcxSeesThem(final String tls, final String direct)
    {
        final Map<String, String> options = options(tls, direct);
        try (Rank near = new Rank(0, options); Rank far = new Rank(1, options))
        {
            final Rank.Lane lane = near.lane(far);
            lane.exchange(1);
            final Channel channel = lane.operations().channel();
            final long before = channel.position();
            final MemoryRegion source = near.source();
            final long end = Rank.LENGTH;
            final RowList rows = near.transport().allocateRows(1).rowLength(64);
            rows.set(0, 0, end - 63);
            assertThrows(IndexOutOfBoundsException.class, () -> channel.put(source, 0, lane.remote(), end - 7, 8));
            assertThrows(IndexOutOfBoundsException.class, () -> channel.put(source, end - 7, lane.remote(), 0, 8));
            assertThrows(IndexOutOfBoundsException.class, () -> channel.put(source, 0, lane.remote(), -8, 8));
            assertThrows(IndexOutOfBoundsException.class,
                () -> channel.put(source, 8, lane.remote(), 8, Long.MAX_VALUE));
            assertThrows(IndexOutOfBoundsException.class, () -> channel.load(lane.remote(), end, source, 0, 1));
            assertThrows(IndexOutOfBoundsException.class, () -> channel.putRows(source, lane.remote(), rows, 0, 1));
            assertThrows(IndexOutOfBoundsException.class, () -> channel.atomicAdd(lane.remote(), end, 1));
            assertThrows(IllegalArgumentException.class, () -> channel.atomicAdd(lane.remote(), 4, 1));
            assertThrows(IndexOutOfBoundsException.class,
                () -> channel.atomicAdd(lane.signals(), Rank.SIGNALS, 1));
            assertEquals(before, channel.position());
            lane.exchange(2);
        }
    }

    @ParameterizedTest
    @CsvSource({"posix;self, auto", "posix;self, never", "tcp, auto"})
    void shouldRefuseWhatIsClosed(final String tls, final String direct)
    {
        final Map<String, String> options = options(tls, direct);
        final Rank near = new Rank(0, options);
        try (Rank far = new Rank(1, options))
        {
            final Rank.Lane lane = near.lane(far);
            final Rank.Lane own = near.lane(near);
            final Rank.Lane other = near.lane(near.transport().openWorker(1), far, far.target());
            lane.exchange(1);
            own.exchange(2);
            final Channel channel = lane.operations().channel();
            near.target().close();
            assertTrue(assertThrows(IllegalStateException.class,
                () -> own.operations().channel().put(near.source(), 0, own.remote(), 0, 8)).getMessage()
                    .startsWith("dst is closed"));
            lane.remote().close();
            assertThrows(IllegalStateException.class, () -> channel.load(lane.remote(), 0, near.source(), 0, 8));
            lane.signals().close();
            assertThrows(IllegalStateException.class, () -> channel.atomicAdd(lane.signals(), 0, 1));
            near.source().close();
            assertThrows(IllegalStateException.class,
                () -> other.operations().channel().put(near.source(), 0, other.remote(), 0, 8));

            channel.close();
            assertArrayEquals(closed(), answers(lane, near.source()), "channel closed");
            near.worker().close();
            assertArrayEquals(closed(), answers(own, near.source()), "worker closed");
            near.close();
            assertArrayEquals(closed(), answers(other, near.source()), "transport closed");
            assertThrows(IllegalStateException.class, () -> near.transport().openWorker(0));
            assertThrows(IllegalStateException.class,
                () -> near.transport().allocate(MemoryKind.HOST, 0, 8, Access.REMOTE));
            assertThrows(IllegalStateException.class, () -> near.transport().allocateSignals(1, 1));
            assertThrows(IllegalStateException.class, () -> near.signals().getAcquire(0));
            assertEquals(0, near.worker().progress());
        }
    }

    @ParameterizedTest
    @CsvSource({"posix;self, auto", "tcp, auto"})
    void shouldCloseSignalsUnderThreadsThatReadThem(final String tls, final String direct) throws InterruptedException
    {
        try (Rank rank = new Rank(0, options(tls, direct)))
        {
            for (int round = 0; round < ROUNDS; round++)
            {
                readWhileClosing(rank.transport().allocateSignals(1, 1));
            }
        }
    }

    @Test
    void shouldCloseATransportUnderThreadsThatReadItsSignals() throws InterruptedException
    {
        for (int round = 0; round < ROUNDS / 10; round++)
        {
            final Rank rank = new Rank(0, options("posix;self", "auto"));
            readWhile(rank.signals(), rank::close);
        }
    }

    private static void readWhileClosing(final SignalRegion signals) throws InterruptedException
    {
        readWhile(signals, signals::close);
    }

    private static void readWhile(final SignalRegion signals, final Runnable close) throws InterruptedException
    {
        final AtomicInteger reading = new AtomicInteger();
        final AtomicReference<Throwable> unexpected = new AtomicReference<>();
        final List<Thread> readers = new ArrayList<>();
        for (int i = 0; i < READERS; i++)
        {
            final Thread reader = new Thread(() -> readUntilClosed(signals, reading));
            reader.setUncaughtExceptionHandler((thread, thrown) -> unexpected.set(thrown));
            reader.start();
            readers.add(reader);
        }

        Await.until(() -> READERS == reading.get());
        close.run();
        for (final Thread reader : readers)
        {
            reader.join();
        }

        assertNull(unexpected.get());
    }

    private static void readUntilClosed(final SignalRegion signals, final AtomicInteger reading)
    {
        final long first = signals.getAcquire(0);
        reading.incrementAndGet();
        final IllegalStateException refusal = assertThrows(IllegalStateException.class, () -> readOn(signals));
        assertEquals("the signals are closed: nobody adds to them any more", refusal.getMessage());
        assertEquals(0, first);
    }

    private static void readOn(final SignalRegion signals)
    {
        while (true)
        {
            assertEquals(0, signals.getAcquire(0));
        }
    }

    private static long[] answers(final Rank.Lane lane, final MemoryRegion source)
    {
        final Channel channel = lane.operations().channel();
        return new long[]{channel.put(source, 0, lane.remote(), 0, 8), channel.load(lane.remote(), 0, source, 0, 8),
            channel.atomicAdd(lane.signals(), 0, 1), channel.fence(), channel.flush()};
    }

    private static long[] closed()
    {
        return new long[]{Channel.CLOSED, Channel.CLOSED, Channel.CLOSED, Channel.CLOSED, Channel.CLOSED};
    }
}
