/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.aeron;

import dev.transload.transport.base.RegionDescriptor;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/** The files of peers that this transport has mapped, each as long as a worker uses it. */
final class MappingTable
{
    private final Map<Path, SharedMapping> mappings = new HashMap<>();

    synchronized MappedFile acquire(final RegionDescriptor descriptor)
    {
        final Path path = path(descriptor);
        SharedMapping mapping = mappings.get(path);
        if (null == mapping)
        {
            mapping = new SharedMapping(
                MappedFile.open(path, descriptor.memoryLength(), descriptor.owner().describe()));
            mappings.put(path, mapping);
        }

        mapping.addUser();
        return mapping.file();
    }

    synchronized void release(final RegionDescriptor descriptor)
    {
        final Path path = path(descriptor);
        final SharedMapping mapping = mappings.get(path);
        if (null != mapping && 0 == mapping.removeUser())
        {
            mappings.remove(path);
            mapping.file().free();
        }
    }

    private static Path path(final RegionDescriptor descriptor)
    {
        return Path.of(AeronContact.of(descriptor.owner()).regionDirectory(), descriptor.name());
    }
}
