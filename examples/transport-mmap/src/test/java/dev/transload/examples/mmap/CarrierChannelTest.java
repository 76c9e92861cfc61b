/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.examples.mmap;

import static dev.transload.examples.mmap.MmapOwnRankTest.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.transload.spi.Access;
import dev.transload.spi.Channel;
import dev.transload.spi.MemoryKind;
import dev.transload.spi.MemoryRegion;
import dev.transload.spi.RemoteRegion;
import dev.transload.spi.RowList;
import dev.transload.spi.Transport;
import dev.transload.spi.TransportConfig;
import dev.transload.spi.Worker;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the guide says of operations that are refused, or done later. */
class CarrierChannelTest
{
    private static final int DEPTH = 4;
    private static final long RATE = 1_000_000;
    private static final int ROW = 1000;
    private static final int ROWS = 100;

    @TempDir
    private Path folder;
    private Transport transport;
    private Worker worker;
    private Channel channel;
    private MemoryRegion source;
    private MemoryRegion target;
    private RemoteRegion remote;

    @AfterEach
    void close()
    {
        transport.close();
    }

    @Test
    void shouldRefuseWhatItsQueueHasNoRoomFor()
    {
        open();
        source.hostView(0, Long.BYTES).putLong(0, 7);
        for (int i = 1; i <= DEPTH; i++)
        {
            assertEquals(i, channel.put(source, 0, remote, 0, Long.BYTES));
        }

        assertEquals(Channel.BACK_PRESSURED, channel.put(source, 0, remote, 0, Long.BYTES));
        assertEquals(Channel.BACK_PRESSURED, channel.flush());
        assertEquals(DEPTH, channel.position());
        assertEquals(0, channel.releasedPosition());
        assertEquals(0, target.hostView(0, Long.BYTES).getLong(0));

        await(worker, channel, () -> DEPTH == channel.releasedPosition(), "all puts");
        assertEquals(7, target.hostView(0, Long.BYTES).getLong(0));
        assertEquals(DEPTH + 1, channel.flush());
    }

    @Test
    void shouldTakeAsManyRowsAsItHasRoomFor()
    {
        open();
        assertEquals(DEPTH, channel.putRows(source, remote, rows(), 0, ROWS));
        assertEquals(Channel.BACK_PRESSURED, channel.putRows(source, remote, rows(), DEPTH, ROWS - DEPTH));
        assertEquals(DEPTH, channel.position());
    }

    @Test
    void shouldSendNoFasterThanItsRate()
    {
        open();
        final RowList rows = rows();
        final long beginNs = System.nanoTime();
        await(worker, channel, () ->
        {
            final int next = (int)channel.position();
            return next == ROWS || channel.putRows(source, remote, rows, next, ROWS - next) == ROWS;
        }, "room for all rows");
        await(worker, channel, () -> ROWS == channel.deliveredPosition(), "delivery");

        // All but the last row, which begins then, and but what an idle link may send at once: a millisecond, or a row.
        final long tookMs = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - beginNs);
        assertTrue(tookMs >= (ROWS - 2) * ROW * TimeUnit.SECONDS.toMillis(1) / RATE, tookMs + " ms");
    }

    private void open()
    {
        final TransportConfig config = TransportConfig.builder().options(Map.of(
            "region-directory", folder.toString(), "queue-depth", String.valueOf(DEPTH),
            "rate", String.valueOf(RATE))).build();
        transport = new CarrierTransportProvider().open(config);
        worker = transport.openWorker(0);
        channel = worker.connect(config.rank(), config.incarnation(), worker.address());
        await(worker, channel, channel::isConnected, "a connection");
        source = transport.allocate(MemoryKind.HOST, 0, ROWS * ROW, Access.LOCAL);
        target = transport.allocate(MemoryKind.HOST, 0, ROWS * ROW, Access.REMOTE);
        remote = worker.importRegion(config.rank(), target.descriptor());
    }

    private RowList rows()
    {
        final RowList rows = transport.allocateRows(ROWS).rowLength(ROW);
        for (int i = 0; i < ROWS; i++)
        {
            rows.set(i, (long)i * ROW, (long)i * ROW);
        }

        return rows;
    }
}
