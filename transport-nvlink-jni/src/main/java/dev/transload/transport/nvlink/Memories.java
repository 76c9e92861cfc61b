/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.nvlink;

import dev.transload.spi.Access;
import dev.transload.spi.MemoryKind;
import dev.transload.spi.TransportUnavailableException;
import dev.transload.transport.base.AvailableMemory;
import dev.transload.transport.base.MappedFile;
import dev.transload.transport.base.RegionDescriptor;
import dev.transload.transport.nvlink.cuda.CudaDevice;
import dev.transload.transport.nvlink.cuda.CudaException;
import dev.transload.transport.nvlink.cuda.CudaSpan;
import dev.transload.transport.nvlink.cuda.CudaStream;
import dev.transload.transport.nvlink.cuda.HostRegistrations;
import dev.transload.transport.nvlink.cuda.PinnedMemory;

import java.nio.ByteBuffer;
import java.nio.file.Path;

/** Where memory of this rank comes from: its device, or the host. */
final class Memories
{
    /** Allocations that are exported share none of the driver's blocks with others, which a peer would see as well. */
    private static final long EXPORT_UNIT = 2 << 20;

    private final CudaDevice device;
    private final Path directory;
    private final CudaStream stream;
    private final Exports exports;

    Memories(final CudaDevice device, final Path directory, final Exports exports)
    {
        this.device = device;
        this.directory = directory;
        this.exports = exports;
        this.stream = device.openStream();
    }

    NvlinkMemory allocate(
        final int id, final MemoryKind kind, final int ordinal, final long length, final Access access)
    {
        if (!kind.isHost())
        {
            checkOrdinal(ordinal);
            return allocateOnDevice(length, access);
        }

        if (length > MappedFile.MAX_LENGTH)
        {
            throw new IllegalArgumentException("length=" + length + ": at most " + MappedFile.MAX_LENGTH +
                " bytes of HOST memory can be allocated at once");
        }

        return Access.LOCAL == access ? allocatePinned(length) : allocateFile(id, length);
    }

    /** Memory of the caller's. */
    NvlinkMemory register(
        final int id, final MemoryKind kind, final int ordinal, final long address, final long length,
        final Access access)
    {
        if (kind.isHost())
        {
            return registered(address, length, () -> {});
        }

        checkOrdinal(ordinal);
        final CudaSpan span = CudaSpan.of(device, address, length);
        return Access.REMOTE == access ? exports.export(id, span) :
            NvlinkMemory.ofDevice(address, RegionDescriptor.NO_KEY, () -> {});
    }

    /** Signals are the CPU's business alone. */
    MappedFile allocateSignals(final int id, final long length)
    {
        if (length > MappedFile.MAX_LENGTH)
        {
            throw new IllegalArgumentException("count: signals of " + length + " bytes are asked for, at most " +
                MappedFile.MAX_LENGTH + " can be allocated at once");
        }

        return MappedFile.create(
            NvlinkOptions.TRANSPORT, directory.resolve(RegionDescriptor.name(RegionDescriptor.SIGNALS, id)), length);
    }

    /** Host memory that is mapped already: the device is told of it, until it is freed. */
    NvlinkMemory registered(final long address, final long length, final Runnable onFree)
    {
        final HostRegistrations.Use use = device.driver().registrations().acquire(device, address, length);
        return NvlinkMemory.ofHost(address, use.obstacle(), () ->
        {
            use.close();
            onFree.run();
        });
    }

    void close()
    {
        stream.close();
    }

    private NvlinkMemory allocateOnDevice(final long length, final Access access)
    {
        final boolean isExported = Access.REMOTE == access;
        final long bytes = isExported ? length + EXPORT_UNIT - 1 & -EXPORT_UNIT : length;
        final long address;
        try
        {
            address = device.allocate(bytes);
        }
        catch (final CudaException ex)
        {
            throw ex.isOutOfMemory() ? shortage(length, ex) : ex;
        }

        boolean isDone = false;
        try
        {
            zero(address, bytes);
            final NvlinkMemory memory = NvlinkMemory.ofDevice(address, isExported ? key(address) :
                RegionDescriptor.NO_KEY, () -> device.free(address));
            isDone = true;
            return memory;
        }
        finally
        {
            if (!isDone)
            {
                device.free(address);
            }
        }
    }

    private synchronized void zero(final long address, final long length)
    {
        stream.zero(address, length);
    }

    private ByteBuffer key(final long address)
    {
        return MemoryKey.ofHandle(device.uuid(), address, 0, device.ipc().export(address)).encode();
    }

    private NvlinkMemory allocatePinned(final long length)
    {
        AvailableMemory.require(NvlinkOptions.TRANSPORT, length);
        try
        {
            final PinnedMemory pinned = device.allocatePinned(length);
            return NvlinkMemory.ofHost(pinned.address(), null, pinned::close);
        }
        catch (final CudaException ex)
        {
            throw ex.isOutOfMemory() ? new TransportUnavailableException("transport nvlink: the system refused " +
                length + " bytes of page-locked memory (" + ex.getMessage() + "): ask for smaller regions", ex) : ex;
        }
    }

    private NvlinkMemory allocateFile(final int id, final long length)
    {
        final MappedFile file = MappedFile.create(
            NvlinkOptions.TRANSPORT, directory.resolve(RegionDescriptor.name(RegionDescriptor.REGION, id)), length);
        return registered(file.address(), length, file::free);
    }

    private TransportUnavailableException shortage(final long length, final CudaException cause)
    {
        return new TransportUnavailableException("transport nvlink: " + length + " bytes were asked for on " +
            device.describe() + ", " + device.availableBytes() +
            " are free: ask for smaller regions, or end what else uses the device", cause);
    }

    private void checkOrdinal(final int ordinal)
    {
        if (device.ordinal() != ordinal)
        {
            throw new IllegalArgumentException("device=" + ordinal + ": this transport drives " + device.describe() +
                "; transload.nvlink.device says which");
        }
    }
}
