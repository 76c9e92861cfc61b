/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.nvlink;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.transload.kernels.RowKernels;
import dev.transload.kernels.StepKernels;
import dev.transload.spi.MemoryKind;
import dev.transload.spi.MemoryRegion;
import dev.transload.tck.PlainRegion;
import dev.transload.tck.StepsFixture;
import dev.transload.transport.base.AddressView;
import dev.transload.transport.nvlink.cuda.CudaDevice;
import dev.transload.transport.nvlink.cuda.CudaStream;
import dev.transload.transport.nvlink.cuda.PinnedMemory;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.agrona.UnsafeApi;

/** Steps of ranks on the emulator's devices in turn, which run by themselves; their clock is that of the machine. */
final class CudaStepsFixture implements StepsFixture
{
    private static final long DEADLINE_NS = TimeUnit.SECONDS.toNanos(30);
    private static final long PAUSE_NS = TimeUnit.MICROSECONDS.toNanos(20);
    private static final int CHUNK = 64 << 10;

    private final long timeoutNs;
    private final List<RowKernels> kernels = new ArrayList<>();
    private final List<CudaDevice> devices = new ArrayList<>();
    private final List<MemoryRegion> regions = new ArrayList<>();
    private final CudaStream stream;
    private final PinnedMemory pinned;

    CudaStepsFixture(final int ranks, final long timeoutNs)
    {
        this.timeoutNs = timeoutNs;
        for (int rank = 0; rank < ranks; rank++)
        {
            devices.add(Emulator.device(rank % Emulator.DEVICES));
            kernels.add(new CudaRowKernelsProvider().open(rank % Emulator.DEVICES, Emulator.options()));
        }

        for (final CudaDevice one : devices)
        {
            devices.forEach(one::enablePeer);
        }

        stream = devices.get(0).openStream();
        pinned = devices.get(0).allocatePinned(CHUNK);
    }

    @Override
    public StepKernels steps(final int rank)
    {
        return kernels.get(rank).steps();
    }

    @Override
    public MemoryKind rowsKind()
    {
        return MemoryKind.CUDA;
    }

    @Override
    public boolean hasAllScales()
    {
        return true;
    }

    @Override
    public MemoryRegion allocate(final int rank, final MemoryKind kind, final long length)
    {
        final CudaDevice device = devices.get(rank);
        if (kind.isHost())
        {
            final PinnedMemory memory = device.allocatePinned(Math.max(1, length));
            UnsafeApi.setMemory(memory.address(), length, (byte)0);
            final MemoryRegion region = new PlainRegion(kind, 0, length, memory.address(), null, memory::close);
            regions.add(region);
            return region;
        }

        assertEquals(MemoryKind.CUDA, kind);
        final long address = device.allocate(Math.max(1, length));
        stream.zero(address, Math.max(1, length));
        final MemoryRegion region =
            new PlainRegion(kind, device.ordinal(), length, address, null, () -> device.free(address));
        regions.add(region);
        return region;
    }

    @Override
    public MemoryRegion reach(final int rank, final int owner, final MemoryRegion region)
    {
        return region;
    }

    @Override
    public void write(final MemoryRegion region, final long offset, final byte[] bytes)
    {
        if (region.kind().isHost() && Long.BYTES == bytes.length)
        {
            // A word is seen whole.
            UnsafeApi.putLongRelease(null, region.address() + offset,
                ByteBuffer.wrap(bytes).order(ByteOrder.nativeOrder()).getLong());
            return;
        }

        for (int done = 0; done < bytes.length; done += CHUNK)
        {
            final int length = Math.min(CHUNK, bytes.length - done);
            AddressView.of(pinned.address(), length).put(bytes, done, length);
            await(stream.copy(region.address() + offset + done, pinned.address(), length));
        }
    }

    @Override
    public byte[] read(final MemoryRegion region, final long offset, final int length)
    {
        final byte[] bytes = new byte[length];
        for (int done = 0; done < length; done += CHUNK)
        {
            final int part = Math.min(CHUNK, length - done);
            await(stream.copy(pinned.address(), region.address() + offset + done, part));
            AddressView.of(pinned.address(), part).get(bytes, done, part);
        }

        return bytes;
    }

    private void await(final long value)
    {
        assertEquals(0, stream.await(value, DEADLINE_NS), "the stream stands still");
    }

    /** {@inheritDoc} Time passes meanwhile. */
    @Override
    public boolean pump()
    {
        LockSupport.parkNanos(PAUSE_NS);
        return true;
    }

    @Override
    public void pass(final long ns)
    {
        throw new AssertionError("time passes by itself");
    }

    @Override
    public void passAlways()
    {
        // It does.
    }

    @Override
    public long timeoutNs()
    {
        return timeoutNs;
    }

    @Override
    public boolean hasFar()
    {
        return true;
    }

    @Override
    public boolean canPush()
    {
        return false;
    }

    /** {@inheritDoc} Rows of every other rank are staged. */
    @Override
    public MemoryKind farKind(final int rank)
    {
        return 0 == rank % 2 ? MemoryKind.HOST : MemoryKind.CUDA;
    }

    /** {@inheritDoc} Where each rank has a device of its own, whose kernels stop. */
    @Override
    public boolean canStop()
    {
        return devices.size() <= Emulator.DEVICES;
    }

    @Override
    public boolean canEnd()
    {
        return false;
    }

    @Override
    public void stop(final int rank)
    {
        Emulator.stopKernels(rank, true);
    }

    @Override
    public void resume(final int rank)
    {
        Emulator.stopKernels(rank, false);
    }

    @Override
    public void end(final int rank)
    {
        throw new UnsupportedOperationException("kernels of the emulator end by themselves");
    }

    @Override
    public void close()
    {
        for (int rank = 0; rank < devices.size() && canStop(); rank++)
        {
            resume(rank);
        }

        kernels.forEach(RowKernels::close);
        stream.close();
        pinned.close();
        regions.forEach(MemoryRegion::close);
    }
}
