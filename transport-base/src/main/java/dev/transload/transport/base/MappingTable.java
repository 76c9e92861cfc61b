/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.base;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/**
 * Files of peers that this transport has mapped. All workers share one mapping of a file. The mapping lasts until its
 * last user frees it. This class is thread-safe.
 */
public final class MappingTable
{
    private final Map<Path, SharedMapping> mappings = new HashMap<>();

    /** Creates an empty table. */
    public MappingTable()
    {
    }

    /**
     * Maps memory of a peer, or shares the mapping if the memory is already mapped. The file has the name
     * {@link RegionDescriptor#name()} in the peer's directory and must have {@link RegionDescriptor#memoryLength()}
     * bytes. If a file contains several regions, callers pass a descriptor with the ID and the length of the whole
     * file.
     *
     * @param directory  private directory of the peer, taken from the peer's contact.
     * @param descriptor descriptor of the memory.
     * @return mapped file. Each caller must free the result once. The file is unmapped when the last caller has done
     *         this.
     * @throws dev.transload.spi.TransportUnavailableException if the file cannot be mapped.
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
