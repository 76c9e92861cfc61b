/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.hccs;

import dev.transload.kernels.RowKernels;
import dev.transload.kernels.host.HostRowKernelsProvider;
import dev.transload.spi.MemoryKind;
import dev.transload.spi.MemoryRegion;
import dev.transload.tck.KernelsFixture;
import dev.transload.tck.PlainRegion;
import dev.transload.transport.base.AddressView;
import dev.transload.transport.hccs.internal.acl.AclDevice;
import dev.transload.transport.hccs.internal.acl.AclLibrary;
import dev.transload.transport.hccs.internal.acl.AclStream;
import dev.transload.transport.hccs.internal.acl.CopyKind;
import dev.transload.transport.hccs.internal.acl.PinnedMemory;
import dev.transload.transport.hccs.internal.kernels.AscendRowKernels;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Row kernels on the emulator's first device, with memory that a test fills and looks into by copies. */
final class EmulatedNpu implements KernelsFixture
{
    private static final int TIMEOUT_MS = 30_000;

    private final Deque<MemoryRegion> regions = new ArrayDeque<>();
    private final AclDevice device = AclLibrary.open(Emulator.library()).device(0);
    private final AclStream stream = device.openStream();
    private final RowKernels kernels;

    EmulatedNpu()
    {
        kernels = new AscendRowKernelsProvider().open(0, Emulator.options());
    }

    /** With blocks of a size that no option allows, so that small operations need many. */
    EmulatedNpu(final int blockBytes, final boolean isDeviceSumming)
    {
        kernels = new AscendRowKernels(device, new HostRowKernelsProvider().open(0, Map.of("mode", "scalar")), true,
            blockBytes, isDeviceSumming, TimeUnit.MILLISECONDS.toNanos(TIMEOUT_MS));
    }

    AclDevice device()
    {
        return device;
    }

    /** Not that of the kernels. */
    AclStream stream()
    {
        return stream;
    }

    @Override
    public RowKernels kernels()
    {
        return kernels;
    }

    @Override
    public MemoryRegion allocate(final long length)
    {
        final long address = device.allocate(Math.max(1, length), false);
        stream.zero(address, Math.max(1, length));
        stream.finish(TIMEOUT_MS);
        regions.push(
            new PlainRegion(MemoryKind.ASCEND, 0, length, address, null, () -> device.free(address)));
        return regions.peek();
    }

    MemoryRegion filled(final byte[] bytes)
    {
        final MemoryRegion region = allocate(bytes.length);
        write(region, 0, bytes);
        return region;
    }

    @Override
    public void write(final MemoryRegion region, final long offset, final byte[] bytes)
    {
        if (bytes.length > 0)
        {
            try (PinnedMemory pinned = device.allocatePinned(bytes.length))
            {
                AddressView.of(pinned.address(), bytes.length).put(bytes);
                stream.copy(
                    CopyKind.HOST_TO_DEVICE, region.address() + offset, pinned.address(), bytes.length);
                stream.finish(TIMEOUT_MS);
            }
        }
    }

    @Override
    public byte[] read(final MemoryRegion region, final long offset, final int length)
    {
        final byte[] bytes = new byte[length];
        if (region.kind().isHost())
        {
            region.hostView(offset, length).get(bytes);
            return bytes;
        }

        try (PinnedMemory pinned = device.allocatePinned(Math.max(1, length)))
        {
            stream.copy(CopyKind.DEVICE_TO_HOST, pinned.address(), region.address() + offset, length);
            stream.finish(TIMEOUT_MS);
            AddressView.of(pinned.address(), length).get(bytes);
            return bytes;
        }
    }

    /** Wait for the kernels. */
    void finish(final long position)
    {
        final long deadlineNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(TIMEOUT_MS);
        while (kernels.completedPosition() < position)
        {
            if (System.nanoTime() - deadlineNs > 0)
            {
                throw new AssertionError("the kernels stand still before position " + position);
            }

            kernels.progress();
            Thread.yield();
        }
    }

    @Override
    public void close()
    {
        stream.close();
        regions.forEach(MemoryRegion::close);
    }
}
