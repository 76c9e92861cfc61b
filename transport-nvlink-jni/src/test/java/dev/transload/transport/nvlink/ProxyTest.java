/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.nvlink;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.transload.spi.Access;
import dev.transload.spi.Channel;
import dev.transload.spi.MemoryKind;
import dev.transload.spi.MemoryRegion;
import dev.transload.spi.RemoteRegion;
import dev.transload.spi.RowList;
import dev.transload.spi.TransportUnavailableException;
import dev.transload.transport.base.AddressView;
import dev.transload.transport.nvlink.cuda.CudaDevice;
import dev.transload.transport.nvlink.cuda.CudaDriver;
import dev.transload.transport.nvlink.cuda.CudaStream;
import dev.transload.transport.nvlink.cuda.PinnedMemory;
import dev.transload.transport.nvlink.cuda.Residents;

import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.Test;

/** A kernel that stays: what it does, in which order, and when it goes. */
class ProxyTest
{
    private static final String LONG_US = "10000000";
    private static final String LONG_MS = "10000";
    private static final long TIMEOUT_NS = TimeUnit.SECONDS.toNanos(20);
    private static final int ROUNDS = 40;

    @Test
    void shouldRefuseToTakeMoreThanTheDeviceHas()
    {
        final Map<String, String> options = new HashMap<>(Emulator.options("proxy", "on"));
        options.putAll(Map.of("streams", "64", "proxy-sms", "3"));
        final String message =
            assertThrows(TransportUnavailableException.class, () -> Pair.open(0, options)).getMessage();
        assertTrue(message.startsWith("transload.nvlink.proxy-sms is 3, which for 64 streams is more than the 132 "),
            message);
        assertTrue(message.endsWith(": at most 2 are allowed"), message);
    }

    @Test
    void shouldLeaveWhenIdleAndComeBackForTheNextCommand()
    {
        try (Pair pair = pair("proxy-idle-us", "500", "proxy-residency-ms", LONG_MS))
        {
            final Proxy proxy = proxy(pair);
            for (int round = 1; round <= 3; round++)
            {
                final long position = pair.channel.put(pair.source, 0, pair.remote, 0, Pair.BYTES);
                pair.await(() -> pair.channel.deliveredPosition() >= position);
                pair.await(() -> !proxy.isResident());
                assertEquals(round, proxy.posted());
                assertTrue(proxy.launches() >= round, "launches in round " + round);
            }
        }
    }

    @Test
    void shouldLeaveAfterItsTimeHoweverBusyItIs()
    {
        try (Pair pair = pair("proxy-idle-us", LONG_US, "proxy-residency-ms", "1"))
        {
            final Proxy proxy = proxy(pair);
            long accepted = 0;
            while (proxy.launches() < 4)
            {
                offer(pair, () -> pair.channel.put(pair.source, 0, pair.remote, 0, Pair.BYTES));
                accepted++;
            }

            final long all = accepted;
            assertEquals(all, pair.channel.position());
            pair.await(() -> pair.channel.deliveredPosition() >= all);
            assertEquals(all, proxy.completed());
        }
    }

    @Test
    void shouldLeaveWhenToldToAndDoAfterwardsWhatIsLeft()
    {
        try (Pair pair = pair("proxy-idle-us", LONG_US, "proxy-residency-ms", LONG_MS, "timeout-ms", "5000"))
        {
            final Proxy proxy = proxy(pair);
            for (int round = 1; round <= ROUNDS; round++)
            {
                final long position = pair.channel.put(pair.source, 0, pair.remote, 0, Pair.BYTES);
                proxy.leave();
                assertFalse(proxy.isResident(), "after it was told to leave");
                pair.await(() -> pair.channel.deliveredPosition() >= position);
            }
        }
    }

    @Test
    void shouldLeaveBeforeMemoryIsGivenBack()
    {
        final CudaDevice device = CudaDriver.open(Emulator.options().get("library")).device(0);
        final AtomicInteger times = new AtomicInteger();
        final Residents.Resident resident = times::incrementAndGet;
        device.driver().residents().add(resident);
        try
        {
            device.free(device.allocate(Pair.BYTES));
            assertEquals(1, times.get(), "memory of the device");
            device.allocatePinned(Pair.BYTES).close();
            assertEquals(2, times.get(), "page-locked memory");
        }
        finally
        {
            device.driver().residents().remove(resident);
        }

        device.free(device.allocate(Pair.BYTES));
        assertEquals(2, times.get(), "when it has left for good");
    }

    @Test
    void shouldKeepTheOrderOfLaunchesAndCommands()
    {
        // What is behind a fence goes the other way each time: long ones are launched.
        order(4 << 10, 512, "proxy-max-bytes", "1024");
    }

    @Test
    void shouldKeepTheOrderOfCommandsOfOneBlockAndOfAll()
    {
        order((int)(2 * Proxy.NARROW_BYTES), 512, "proxy-sms", "5");
    }

    @Test
    void shouldNotCompleteACommandBeforeThoseBeforeIt()
    {
        final int length = (int)(2 * Proxy.NARROW_BYTES);
        try (Pair pair = pair("proxy-sms", "5"))
        {
            final MemoryRegion far = pair.far.allocate(MemoryKind.CUDA, 1, length, Access.REMOTE);
            final RemoteRegion remote = pair.worker.importRegion(1, far.descriptor());
            final MemoryRegion sent = pair.near.allocate(MemoryKind.HOST, 0, length, Access.LOCAL);
            final CudaDevice device = CudaDriver.open(Emulator.options().get("library")).device(1);
            try (CudaStream stream = device.openStream(); PinnedMemory seen = device.allocatePinned(length))
            {
                for (int round = 1; round <= ROUNDS; round++)
                {
                    fill(sent, 0, length, (byte)round);
                    // Of all blocks, then of one: no fence orders them, but their completion is.
                    offer(pair, () -> pair.channel.put(sent, 0, remote, 0, length));
                    offer(pair, () -> pair.channel.atomicAdd(pair.remote, 0, 1));
                    pair.await(() -> pair.channel.deliveredPosition() >= pair.channel.position());
                    assertEquals(0, stream.await(stream.copy(seen.address(), far.address(), length), TIMEOUT_NS));
                    final ByteBuffer view = AddressView.of(seen.address(), length);
                    for (int i = 0; i < length; i++)
                    {
                        assertEquals((byte)round, view.get(i), "round " + round + ", byte " + i);
                    }
                }
            }
        }
    }

    @Test
    void shouldMoveRowsAndBytesMoreThanTheQueueHolds()
    {
        final int rows = 3 * Proxy.COMMANDS;
        final int rowLength = 100;
        final int length = rows * rowLength;
        try (Pair pair = pair("proxy-idle-us", "100", "proxy-residency-ms", "2"))
        {
            final MemoryRegion from = filled(pair, length, 7);
            final MemoryRegion target = pair.far.allocate(MemoryKind.CUDA, 1, length, Access.REMOTE);
            final RemoteRegion remote = pair.worker.importRegion(1, target.descriptor());
            final RowList list = pair.near.allocateRows(rows).rowLength(rowLength);
            for (int i = 0; i < rows; i++)
            {
                list.set(i, (long)i * rowLength, (long)(rows - 1 - i) * rowLength);
            }

            for (int i = 0; i < rows; i++)
            {
                final int row = i;
                offer(pair, () -> pair.channel.putRows(from, remote, list, row, 1));
            }

            final byte[] seen = read(pair, remote, length);
            final byte[] sent = bytes(from, 0, length);
            for (int i = 0; i < length; i++)
            {
                final int row = rows - 1 - i / rowLength;
                assertEquals(sent[row * rowLength + i % rowLength], seen[i], "byte " + i);
            }

            assertEquals(rows + 1, proxy(pair).posted(), "the rows and the load");
        }
    }

    /** A long put, a short one over its middle, and a load of both, with fences between, many times. */
    private static void order(final int length, final int part, final String key, final String value)
    {
        try (Pair pair = pair("proxy-residency-ms", "5", key, value))
        {
            final MemoryRegion far = pair.far.allocate(MemoryKind.CUDA, 1, length, Access.REMOTE);
            final RemoteRegion remote = pair.worker.importRegion(1, far.descriptor());
            final MemoryRegion sent = pair.near.allocate(MemoryKind.HOST, 0, ROUNDS * (long)length, Access.LOCAL);
            final MemoryRegion brief = pair.near.allocate(MemoryKind.HOST, 0, ROUNDS * (long)part, Access.LOCAL);
            final MemoryRegion seen = pair.near.allocate(MemoryKind.HOST, 0, ROUNDS * (long)length, Access.LOCAL);
            for (int round = 0; round < ROUNDS; round++)
            {
                fill(sent, round * length, length, (byte)(1 + 2 * round));
                fill(brief, round * part, part, (byte)(2 + 2 * round));
            }

            for (int i = 0; i < ROUNDS; i++)
            {
                final long round = i;
                offer(pair, () -> pair.channel.put(sent, round * length, remote, 0, length));
                offer(pair, pair.channel::fence);
                if (0 != round % 2)
                {
                    // Behind launches that are not complete, it would be launched as well.
                    pair.await(() -> pair.channel.deliveredPosition() >= pair.channel.position());
                }

                offer(pair, () -> pair.channel.put(brief, round * part, remote, length / 2, part));
                offer(pair, pair.channel::fence);
                offer(pair, () -> pair.channel.load(remote, 0, seen, round * length, length));
                offer(pair, pair.channel::fence);
            }

            pair.await(() -> pair.channel.deliveredPosition() >= pair.channel.position());
            for (int round = 0; round < ROUNDS; round++)
            {
                final byte[] expected = bytes(sent, round * length, length);
                System.arraycopy(bytes(brief, round * part, part), 0, expected, length / 2, part);
                final byte[] found = bytes(seen, round * length, length);
                for (int i = 0; i < length; i++)
                {
                    assertEquals(expected[i], found[i], "round " + round + ", byte " + i);
                }
            }
        }
    }

    private static Pair pair(final String... keysAndValues)
    {
        final Map<String, String> options = new HashMap<>(Emulator.options("proxy", "on"));
        options.put("streams", "1");
        for (int i = 0; i < keysAndValues.length; i += 2)
        {
            options.put(keysAndValues[i], keysAndValues[i + 1]);
        }

        return new Pair(options);
    }

    private static Proxy proxy(final Pair pair)
    {
        return ((NvlinkChannel)pair.channel).lane().proxy();
    }

    private static void offer(final Pair pair, final LongSupplier operation)
    {
        pair.await(() ->
        {
            final long answer = operation.getAsLong();
            assertTrue(answer >= 0 || Channel.BACK_PRESSURED == answer, () -> "it was answered with " + answer);
            return answer >= 0;
        });
    }

    private static MemoryRegion filled(final Pair pair, final int length, final int factor)
    {
        final MemoryRegion region = pair.near.allocate(MemoryKind.HOST, 0, length, Access.LOCAL);
        final ByteBuffer view = region.hostView(0, length);
        for (int i = 0; i < length; i++)
        {
            view.put(i, (byte)(i * factor + i / 256));
        }

        return region;
    }

    private static void fill(final MemoryRegion region, final int offset, final int length, final byte value)
    {
        final ByteBuffer view = region.hostView(offset, length);
        while (view.hasRemaining())
        {
            view.put(value);
        }
    }

    private static byte[] read(final Pair pair, final RemoteRegion remote, final int length)
    {
        final MemoryRegion region = pair.near.allocate(MemoryKind.HOST, 0, length, Access.LOCAL);
        offer(pair, pair.channel::fence);
        offer(pair, () -> pair.channel.load(remote, 0, region, 0, length));
        pair.await(() -> pair.channel.deliveredPosition() >= pair.channel.position());
        return bytes(region, 0, length);
    }

    private static byte[] bytes(final MemoryRegion region, final int offset, final int length)
    {
        final byte[] bytes = new byte[length];
        region.hostView(offset, length).get(bytes);
        return bytes;
    }
}
