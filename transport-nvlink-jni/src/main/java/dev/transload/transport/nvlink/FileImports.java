/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.nvlink;

import dev.transload.spi.TransportUnavailableException;
import dev.transload.transport.base.RegionDescriptor;
import dev.transload.transport.nvlink.cuda.CudaDevice;
import dev.transload.transport.nvlink.cuda.MappedImport;
import dev.transload.transport.nvlink.internal.files.FileClient;
import dev.transload.transport.nvlink.internal.files.OpenFile;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/** Device memory of peers that came as files, mapped once however many workers import it. */
final class FileImports
{
    private final CudaDevice device;
    private final long timeoutNs;
    private final Map<Source, Mapped> mapped = new HashMap<>();

    /** A region of a peer. */
    private record Source(long transportId, int id)
    {
    }

    private static final class Mapped
    {
        private final MappedImport pieces;
        private final long address;
        private int users;

        Mapped(final MappedImport pieces)
        {
            this.pieces = pieces;
            this.address = pieces.map();
        }
    }

    FileImports(final CudaDevice device, final long timeoutNs)
    {
        this.device = device;
        this.timeoutNs = timeoutNs;
    }

    /**
     * Map a region for one more user; waits for the owner's answers.
     *
     * @param descriptor of the region.
     * @param count      of files.
     * @return address of the first byte of the first piece.
     * @throws TransportUnavailableException in a clause, when the owner has it no more or does not answer.
     */
    synchronized long acquire(final RegionDescriptor descriptor, final int count)
    {
        final Source source = source(descriptor);
        Mapped found = mapped.get(source);
        if (null == found)
        {
            found = map(descriptor, count);
            mapped.put(source, found);
        }

        found.users++;
        return found.address;
    }

    /** A user has finished. */
    synchronized void release(final RegionDescriptor descriptor)
    {
        final Mapped found = mapped.get(source(descriptor));
        if (null != found && 0 == --found.users)
        {
            mapped.remove(source(descriptor));
            found.pieces.close();
        }
    }

    private Mapped map(final RegionDescriptor descriptor, final int count)
    {
        final Path socket = NvlinkContact.of(descriptor.owner()).files();
        final MappedImport pieces = new MappedImport(device);
        boolean isDone = false;
        try (FileClient client = FileClient.connect(socket, timeoutNs))
        {
            for (int i = 0; i < count; i++)
            {
                add(pieces, client.ask(descriptor.id(), i));
            }

            final Mapped made = new Mapped(pieces);
            isDone = true;
            return made;
        }
        finally
        {
            if (!isDone)
            {
                pieces.close();
            }
        }
    }

    private static void add(final MappedImport pieces, final OpenFile file)
    {
        if (null == file)
        {
            throw new TransportUnavailableException("its owner has no file of it", null);
        }

        try (file)
        {
            pieces.add(file.descriptor(), file.length());
        }
    }

    private static Source source(final RegionDescriptor descriptor)
    {
        return new Source(descriptor.owner().transportId(), descriptor.id());
    }
}
