/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.nvlink;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.transload.spi.Access;
import dev.transload.spi.Channel;
import dev.transload.spi.MemoryKind;
import dev.transload.spi.MemoryRegion;
import dev.transload.spi.RemoteRegion;
import dev.transload.spi.Transport;
import dev.transload.spi.TransportConfig;
import dev.transload.spi.Worker;
import dev.transload.tck.ForeignMemory;
import dev.transload.tck.processes.ProcessesFixture;
import dev.transload.transport.base.RegionDescriptor;
import dev.transload.transport.nvlink.cuda.CudaIpc;

import java.nio.ByteBuffer;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;

/** Memory of another process. */
class HandlesIT
{
    @Test
    void shouldRefuseAHandleWhoseMemoryIsGone()
    {
        final StaleHandles seen = StaleHandles.see(Emulator.options());
        for (final String refusal : new String[] { seen.ofARegion(), seen.ofATransport() })
        {
            assertTrue(refusal.startsWith("transport nvlink cannot open region-"), refusal);
            assertTrue(refusal.contains("the region is closed, the rank is gone"), refusal);
        }

        assertEquals(StaleHandles.BYTES, seen.afterwards(), "the device afterwards");
    }

    @Test
    void shouldImportMemoryAsOftenAsItIsAskedFor()
    {
        try (ProcessesFixture fixture = new ProcessesFixture(NvlinkTransportProvider.class, Emulator.options());
            Transport own = open(fixture, 0);
            Transport other = open(fixture, 1))
        {
            final MemoryRegion region = other.allocate(MemoryKind.CUDA, 1, Pair.BYTES, Access.REMOTE);
            final Worker one = own.openWorker(0);
            final Worker two = own.openWorker(1);
            final long address = one.importRegion(1, region.descriptor()).window().address();
            assertEquals(address, two.importRegion(1, region.descriptor()).window().address());
            one.close();
            assertEquals(address, two.importRegion(1, region.descriptor()).window().address());
        }
    }

    @Test
    void shouldExposeMappedMemoryToAnotherProcess()
    {
        try (ProcessesFixture fixture = new ProcessesFixture(NvlinkTransportProvider.class, Emulator.options());
            Transport own = open(fixture, 0);
            Transport other = open(fixture, 1);
            MappedMemory memory = Emulator.mapped(0, 2, true))
        {
            final long begin = memory.address() + MappedMemory.PIECE - Pair.BYTES / 2;
            final MemoryRegion region = own.register(MemoryKind.CUDA, 0, begin, Pair.BYTES, Access.REMOTE);
            assertArrayEquals(put(own, other, region), Emulator.bytes(0, begin, Pair.BYTES));
            region.close();
        }
    }

    @Test
    void shouldHandOnMemoryOfAThirdProcess()
    {
        try (ProcessesFixture fixture = new ProcessesFixture(NvlinkTransportProvider.class, Emulator.options());
            Transport own = open(fixture, 0);
            Transport other = open(fixture, 1);
            Transport third = open(fixture, 2))
        {
            final MemoryRegion source = other.allocate(MemoryKind.CUDA, 1, 2 * Pair.BYTES, Access.REMOTE);
            final ByteBuffer handle = MemoryKey.of(RegionDescriptor.decode(
                NvlinkOptions.TRANSPORT, RegionDescriptor.REGION, source.descriptor())).handle();
            final CudaIpc ipc = Emulator.device(0).ipc();
            final long begin = ipc.open(handle) + Pair.BYTES;
            try (MemoryRegion region = own.register(MemoryKind.CUDA, 0, begin, Pair.BYTES, Access.REMOTE))
            {
                assertArrayEquals(put(own, third, region), Emulator.bytes(0, begin, Pair.BYTES));
            }

            ipc.close(handle);
            assertNull(ipc.handleOf(begin - Pair.BYTES), "the registration left it open");
        }
    }

    /** A rank of another process writes to a region of rank 0. */
    private static byte[] put(final Transport own, final Transport other, final MemoryRegion region)
    {
        final byte[] sent = new byte[Pair.BYTES];
        new Random(7).nextBytes(sent);
        final Worker near = own.openWorker(0);
        final Worker far = other.openWorker(0);
        final MemoryRegion source = other.allocate(MemoryKind.HOST, 0, Pair.BYTES, Access.LOCAL);
        ((ForeignMemory)source).write(0, sent);
        final RemoteRegion remote = far.importRegion(0, region.descriptor());
        final Channel channel = far.connect(0, 1, near.address());
        await(far, channel::isConnected);
        channel.put(source, 0, remote, 0, Pair.BYTES);
        final long position = channel.flush();
        await(far, () -> channel.deliveredPosition() >= position);
        remote.close();
        return sent;
    }

    private static void await(final Worker worker, final BooleanSupplier condition)
    {
        final long deadlineNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
        while (!condition.getAsBoolean())
        {
            assertTrue(System.nanoTime() - deadlineNs < 0, "it did not come true within 20 s");
            worker.progress();
        }
    }

    private static Transport open(final ProcessesFixture fixture, final int rank)
    {
        return fixture.provider().open(TransportConfig.builder().rank(rank).worldSize(3).incarnation(1)
            .options(fixture.options(rank)).build());
    }
}
