/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.hccs;

import dev.transload.spi.Access;
import dev.transload.spi.MemoryKind;
import dev.transload.spi.TransportUnavailableException;
import dev.transload.transport.base.AvailableMemory;
import dev.transload.transport.base.MappedFile;
import dev.transload.transport.base.RegionDescriptor;
import dev.transload.transport.hccs.internal.acl.AclDevice;
import dev.transload.transport.hccs.internal.acl.AclException;
import dev.transload.transport.hccs.internal.acl.AclIpc;
import dev.transload.transport.hccs.internal.acl.AclStream;
import dev.transload.transport.hccs.internal.acl.Leftovers;
import dev.transload.transport.hccs.internal.acl.PinnedMemory;

import java.nio.ByteBuffer;
import java.nio.file.Path;

/**
 * Where memory of this rank comes from: its device, one allocation a region, of whole huge pages where peers are to
 * import it; or the host, page-locked or in a file that peers map.
 */
final class Memories implements AutoCloseable
{
    private final AclDevice device;
    private final Path directory;
    private final Exports exports;
    private final Leftovers leftovers;
    private final int timeoutMs;
    private final AclStream stream;

    Memories(
        final AclDevice device,
        final Path directory,
        final Exports exports,
        final Leftovers leftovers,
        final int timeoutMs)
    {
        this.leftovers = leftovers;
        this.device = device;
        this.directory = directory;
        this.exports = exports;
        this.timeoutMs = timeoutMs;
        this.stream = device.openStream();
    }

    HccsMemory allocate(
        final int id, final MemoryKind kind, final int ordinal, final long length, final Access access)
    {
        if (!kind.isHost())
        {
            checkOrdinal(ordinal);
            return allocateOnDevice(id, length, access);
        }

        if (length > MappedFile.MAX_LENGTH)
        {
            throw new IllegalArgumentException("length=" + length + ": at most " + MappedFile.MAX_LENGTH +
                " bytes of HOST memory can be allocated at once");
        }

        return Access.LOCAL == access ? allocatePinned(length) : allocateFile(id, length);
    }

    /** Memory of the caller's; it is used where it is, host memory by way of page-locked memory of ours. */
    HccsMemory register(final MemoryKind kind, final int ordinal, final long address)
    {
        if (kind.isHost())
        {
            return HccsMemory.ofHost(address, () -> {});
        }

        checkOrdinal(ordinal);
        return HccsMemory.ofDevice(address, RegionDescriptor.NO_KEY, () -> {});
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
            HccsOptions.TRANSPORT, directory.resolve(RegionDescriptor.name(RegionDescriptor.SIGNALS, id)), length);
    }

    @Override
    public void close()
    {
        leftovers.giveBack("a stream", stream::close);
    }

    private HccsMemory allocateOnDevice(final int id, final long length, final Access access)
    {
        final boolean isExported = Access.REMOTE == access;
        final long bytes = isExported ? length + AclIpc.PAGE - 1 & -AclIpc.PAGE : length;
        final long address;
        try
        {
            address = device.allocate(bytes, isExported);
        }
        catch (final AclException ex)
        {
            throw ex.isOutOfMemory() ? shortage(length, ex) : ex;
        }

        boolean isDone = false;
        try
        {
            zero(address, bytes);
            final HccsMemory memory = isExported ?
                HccsMemory.ofDevice(address, key(id, address, bytes), () -> exports.retire(id)) :
                HccsMemory.ofDevice(address, RegionDescriptor.NO_KEY, () -> free(address));
            isDone = true;
            return memory;
        }
        finally
        {
            if (!isDone)
            {
                free(address);
            }
        }
    }

    private void free(final long address)
    {
        leftovers.giveBack("memory of a region", () -> device.free(address));
    }

    /** Any thread may allocate. */
    private synchronized void zero(final long address, final long length)
    {
        final int code = stream.zero(address, length);
        if (0 != code)
        {
            throw stream.failure(code);
        }

        stream.finish(timeoutMs);
    }

    private ByteBuffer key(final int id, final long address, final long bytes)
    {
        return new MemoryKey(device.ordinal(), address, exports.add(id, address, bytes)).encode();
    }

    private HccsMemory allocatePinned(final long length)
    {
        AvailableMemory.require(HccsOptions.TRANSPORT, length);
        try
        {
            final PinnedMemory pinned = device.allocatePinned(length);
            return HccsMemory.ofHost(
                pinned.address(), () -> leftovers.giveBack("page-locked memory", pinned::close));
        }
        catch (final AclException ex)
        {
            throw ex.isOutOfMemory() ? new TransportUnavailableException("transport hccs: the system refused " +
                length + " bytes of page-locked memory (" + ex.getMessage() + "): ask for smaller regions", ex) : ex;
        }
    }

    private HccsMemory allocateFile(final int id, final long length)
    {
        final MappedFile file = MappedFile.create(
            HccsOptions.TRANSPORT, directory.resolve(RegionDescriptor.name(RegionDescriptor.REGION, id)), length);
        return HccsMemory.ofHost(file.address(), file::free);
    }

    private TransportUnavailableException shortage(final long length, final AclException cause)
    {
        return new TransportUnavailableException("transport hccs: " + length + " bytes were asked for on " +
            device.describe() + ", which has not so many left (" + cause.getMessage() +
            "): ask for smaller regions, or end what else uses the device", cause);
    }

    private void checkOrdinal(final int ordinal)
    {
        if (device.ordinal() != ordinal)
        {
            throw new IllegalArgumentException("device=" + ordinal + ": this transport drives " + device.describe() +
                "; transload.hccs.device says which");
        }
    }
}
