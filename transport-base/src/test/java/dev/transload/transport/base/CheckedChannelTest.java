/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.base;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.transload.spi.Access;
import dev.transload.spi.Capabilities;
import dev.transload.spi.Capability;
import dev.transload.spi.Channel;
import dev.transload.spi.MemoryKind;
import dev.transload.spi.MemoryRegion;
import dev.transload.spi.RemoteRegion;
import dev.transload.spi.RemoteSignals;
import dev.transload.spi.RowList;
import dev.transload.spi.SignalRegion;
import dev.transload.spi.TransportUnavailableException;
import dev.transload.spi.UnsupportedCapabilityException;
import java.util.ArrayList;
import java.util.List;
import org.agrona.UnsafeApi;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** What copies sees good arguments only, and is inside of its worker. */
class CheckedChannelTest
{
    private static final long LENGTH = 256;
    private static final long MAX_PUT = 64;

    private final PeerIdentity own = Ranks.identity(0);
    private final PlainTransport transport = PlainTransport.open(own, new PostOffice().box(own),
        Capabilities.builder(Ranks.TRANSPORT, "1", LENGTH).with(Capability.WINDOWS).maxPutLength(MAX_PUT)
            .offsetAlignment(4).build());
    private final List<String> copies = new ArrayList<>();
    private final CopyWorker worker = new Copier(transport);
    private final MemoryRegion source = transport.allocate(MemoryKind.HOST, 0, LENGTH, Access.LOCAL);
    private final MemoryRegion target = transport.allocate(MemoryKind.HOST, 0, LENGTH, Access.REMOTE);
    private final SignalRegion counters = transport.allocateSignals(2, 1);
    private final RemoteRegion remote = worker.importRegion(0, target.descriptor());
    private final RemoteSignals signals = worker.importSignals(0, counters.descriptor());
    private final Channel channel = worker.connect(0, 1, worker.address());

    /** Writes down what it is told to copy. */
    private final class Copier extends CopyWorker
    {
        Copier(final AbstractTransport transport)
        {
            super(transport, 0);
        }

        @Override
        protected RegionMemory map(final RegionDescriptor descriptor)
        {
            throw new IllegalStateException("memory of this rank is mapped already");
        }

        @Override
        protected AbstractChannel newChannel(final int id, final PeerIdentity identity, final long incarnation)
        {
            return new CopyChannel(this, id, identity, incarnation)
            {
                @Override
                protected void copy(final long src, final long dst, final long length)
                {
                    copies.add("copy of " + length);
                    WordCopy.copy(src, dst, length);
                }

                @Override
                protected void copyRows(
                    final long src, final long dst, final RowList rows, final int from, final int end)
                {
                    copies.add("rows " + from + " to " + end);
                    RowCopy.copy(src, dst, rows, from, end);
                }

                @Override
                protected void add(final long word, final long delta)
                {
                    copies.add("add of " + delta);
                    UnsafeApi.getAndAddLong(null, word, delta);
                }
            };
        }
    }

    @AfterEach
    void close()
    {
        worker.shut();
        transport.close();
    }

    @Test
    void shouldCountWhatItDid()
    {
        source.hostView(0, 8).putLong(0, 77);
        assertEquals(1, channel.put(source, 0, remote, 64, 8));
        assertEquals(77, target.hostView(64, 8).getLong(0));
        assertEquals(2, channel.load(remote, 64, source, 8, 8));
        assertEquals(77, source.hostView(8, 8).getLong(0));
        final RowList rows = rows(8, 0, 8);
        assertEquals(4, channel.putRows(source, remote, rows, 0, 2));
        assertEquals(5, channel.fence());
        assertEquals(6, channel.signal(signals, 1, 3));
        assertEquals(7, channel.atomicAdd(signals, 1, 2));
        assertEquals(8, channel.flush());
        assertEquals(5, counters.getAcquire(1));
        assertEquals(8, channel.deliveredPosition());
        assertEquals(8, channel.releasedPosition());
        assertEquals(List.of("copy of 8", "copy of 8", "rows 0 to 2", "add of 3", "add of 2"), copies);
    }

    @Test
    void shouldAskForNothingWhereNoRowIsPut()
    {
        assertEquals(0, channel.putRows(source, remote, rows(8, 0), 0, 0));
        assertEquals(List.of(), copies);
    }

    @Test
    void shouldRefuseWhatIsNotAlignedOrTooLong()
    {
        final List<Executable> misuses = List.of(
            () -> channel.put(source, 2, remote, 0, 4),
            () -> channel.put(source, 0, remote, 2, 4),
            () -> channel.put(source, 0, remote, 0, 6),
            () -> channel.put(source, 0, remote, 0, MAX_PUT + 4),
            () -> channel.load(remote, 2, source, 0, 4),
            () -> channel.load(remote, 0, source, 0, MAX_PUT + 4),
            () -> channel.putRows(source, remote, rows(8, 0, 2), 0, 2),
            () -> channel.putRows(source, remote, rows((int)MAX_PUT + 4, 0), 0, 1));
        for (final Executable misuse : misuses)
        {
            assertThrows(IllegalArgumentException.class, misuse);
        }

        assertEquals(List.of(), copies);
        assertEquals(0, channel.position());
        assertEquals(1, channel.put(source, 0, remote, 0, MAX_PUT));
    }

    @Test
    void shouldRefuseAddsToRegionsThatAreNotPromised()
    {
        assertThrows(UnsupportedCapabilityException.class, () -> channel.atomicAdd(remote, 0, 1));
        channel.close();
        assertEquals(Channel.CLOSED, channel.atomicAdd(remote, 0, 1));
    }

    @Test
    void shouldDoNothingOnceItIsClosed()
    {
        channel.close();
        assertEquals(Channel.CLOSED, channel.put(source, 0, remote, 0, 4));
        assertEquals(Channel.CLOSED, channel.putRows(source, remote, rows(4, 0), 0, 1));
        assertEquals(Channel.CLOSED, channel.load(remote, 0, source, 0, 4));
        assertEquals(Channel.CLOSED, channel.atomicAdd(signals, 0, 1));
        assertEquals(Channel.CLOSED, channel.signal(signals, 0, 1));
        assertEquals(Channel.CLOSED, channel.fence());
        assertEquals(Channel.CLOSED, channel.flush());
        assertEquals(List.of(), copies);
    }

    @Test
    void shouldLeaveItsWorkerBehindAMisuse() throws InterruptedException
    {
        assertThrows(IndexOutOfBoundsException.class, () -> channel.put(source, 0, remote, LENGTH, 4));
        // Another thread ends the worker: it would wait for ever for an operation that never ended.
        final Thread closer = new Thread(worker::shut);
        closer.setDaemon(true);
        closer.start();
        closer.join(10_000);
        assertFalse(closer.isAlive(), "closing waits for an operation that is over");
    }

    @Test
    void shouldGiveOwnMemoryAWindow()
    {
        final MemoryRegion window = remote.window();
        assertSame(window, remote.window());
        window.hostView(8, 4).putInt(0, 5);
        assertEquals(5, target.hostView(8, 4).getInt(0));
    }

    @Test
    void shouldNotImportWhatIsOutOfReach()
    {
        transport.obstruct("there is no road");
        final Exception refused = assertThrows(
            TransportUnavailableException.class, () -> worker.importRegion(0, target.descriptor()));
        assertEquals("transport " + Ranks.TRANSPORT + ": memory of rank 0 cannot be reached: there is no road",
            refused.getMessage());
    }

    private static RowList rows(final int length, final long... offsets)
    {
        final RowList rows = RequestArguments.rows(offsets.length);
        rows.rowLength(length);
        for (int i = 0; i < offsets.length; i++)
        {
            rows.set(i, offsets[i], offsets[i]);
        }

        return rows;
    }
}
