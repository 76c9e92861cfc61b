/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.base;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/** The files of peers that this transport has mapped, each as long as a worker uses it. */
public final class MappingTable
{
    private final Map<Path, SharedMapping> mappings = new HashMap<>();

    /** Empty. */
    public MappingTable()
    {
    }

    /**
     * Map memory of a peer for one more user.
     *
     * @param directory  private one of the peer, which names it in its contact.
     * @param descriptor of the memory.
     * @return the file, good until it is released as often.
     * @throws dev.transload.spi.TransportUnavailableException when it can't be mapped.
     */
    public synchronized MappedFile acquire(final String directory, final RegionDescriptor descriptor)
    {
        final Path path = Path.of(directory, descriptor.name());
        SharedMapping mapping = mappings.get(path);
        if (null == mapping)
        {
            mapping = new SharedMapping(MappedFile.open(path, descriptor.memoryLength(), descriptor.owner()));
            mappings.put(path, mapping);
        }

        mapping.addUser();
        return mapping.file();
    }

    /**
     * A user has finished.
     *
     * @param directory  as it was acquired.
     * @param descriptor of the memory.
     */
    public synchronized void release(final String directory, final RegionDescriptor descriptor)
    {
        final Path path = Path.of(directory, descriptor.name());
        final SharedMapping mapping = mappings.get(path);
        if (null != mapping && 0 == mapping.removeUser())
        {
            mappings.remove(path);
            mapping.file().free();
        }
    }
}
