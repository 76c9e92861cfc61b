/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.aeron;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/** The files of peers that this transport has mapped, each as long as a worker uses it. */
final class MappingTable
{
    private final Map<Path, SharedMapping> mappings = new HashMap<>();

    synchronized MappedFile acquire(final Descriptor descriptor)
    {
        final PeerIdentity owner = descriptor.identity();
        final Path path = Path.of(owner.regionDirectory(), descriptor.fileName());
        SharedMapping mapping = mappings.get(path);
        if (null == mapping)
        {
            mapping = new SharedMapping(MappedFile.open(path, descriptor.memoryLength(), owner.describe()));
            mappings.put(path, mapping);
        }

        mapping.addUser();
        return mapping.file();
    }

    synchronized void release(final Descriptor descriptor)
    {
        final Path path = Path.of(descriptor.identity().regionDirectory(), descriptor.fileName());
        final SharedMapping mapping = mappings.get(path);
        if (null != mapping && 0 == mapping.removeUser())
        {
            mappings.remove(path);
            mapping.file().free();
        }
    }
}
