/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.base;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/**
 * The files of peers that this transport has mapped, each once for all workers and as long as one of them uses it. May
 * be used by several threads at once.
 */
public final class MappingTable
{
    private final Map<Path, SharedMapping> mappings = new HashMap<>();

    /** Empty. */
    public MappingTable()
    {
    }

    /**
     * Map memory of a peer for one more user: the file {@link RegionDescriptor#name()} in the peer's directory, which
     * must have {@link RegionDescriptor#memoryLength()} bytes. Where several regions lie in one file, give a descriptor
     * made for that file: its id names it, its length is the file's.
     *
     * @param directory  private one of the peer, which names it in its contact.
     * @param descriptor of the memory.
     * @return the whole file; its user frees it once, and the last one unmaps it.
     * @throws dev.transload.spi.TransportUnavailableException when it can't be mapped.
     */
    public synchronized RegionMemory acquire(final String directory, final RegionDescriptor descriptor)
    {
        final Path path = Path.of(directory, descriptor.name());
        SharedMapping mapping = mappings.get(path);
        if (null == mapping)
        {
            mapping = new SharedMapping(MappedFile.open(path, descriptor.memoryLength(), descriptor.owner()));
            mappings.put(path, mapping);
        }

        mapping.addUser();
        return new Use(path, mapping.file());
    }

    private synchronized void release(final Path path)
    {
        final SharedMapping mapping = mappings.get(path);
        if (0 == mapping.removeUser())
        {
            mappings.remove(path);
            mapping.file().free();
        }
    }

    private final class Use implements RegionMemory
    {
        private final Path path;
        private final MappedFile file;

        private Use(final Path path, final MappedFile file)
        {
            this.path = path;
            this.file = file;
        }

        @Override
        public long address()
        {
            return file.address();
        }

        @Override
        public ByteBuffer view(final long offset, final int length)
        {
            return file.view(offset, length);
        }

        @Override
        public void free()
        {
            release(path);
        }
    }
}
