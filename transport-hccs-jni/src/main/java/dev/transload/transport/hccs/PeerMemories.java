/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.hccs;

import dev.transload.spi.TransportUnavailableException;
import dev.transload.transport.base.MappingTable;
import dev.transload.transport.base.PeerIdentity;
import dev.transload.transport.base.RegionDescriptor;
import dev.transload.transport.base.RegionMemory;
import dev.transload.transport.hccs.internal.acl.AclDevice;
import dev.transload.transport.hccs.internal.acl.AclException;
import dev.transload.transport.hccs.internal.acl.Leftovers;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Memory of peers, brought within reach of this process and its device. */
final class PeerMemories
{
    private static final Logger LOG = LoggerFactory.getLogger(PeerMemories.class);

    private final AclDevice device;
    private final Leftovers leftovers;
    private final PeerIdentity own;
    private final int bareProcess;
    private final MappingTable mappings = new MappingTable();

    PeerMemories(final AclDevice device, final Leftovers leftovers, final PeerIdentity own)
    {
        this.device = device;
        this.leftovers = leftovers;
        this.own = own;
        this.bareProcess = device.bareProcess();
    }

    /** A region, of either kind. */
    HccsMemory openRegion(final RegionDescriptor descriptor)
    {
        final MemoryKey key = MemoryKey.of(descriptor);
        if (null == key)
        {
            final RegionMemory mapped = openSignals(descriptor);
            return HccsMemory.ofHost(mapped.address(), mapped::free);
        }

        return own.process().equals(descriptor.owner().process()) ? openHere(key) : openElsewhere(descriptor, key);
    }

    /** Signals, and regions of the host: files that this process maps. */
    RegionMemory openSignals(final RegionDescriptor descriptor)
    {
        return mappings.acquire(directory(descriptor), descriptor);
    }

    private HccsMemory openHere(final MemoryKey key)
    {
        device.enablePeer(device.library().device(key.ordinal()));
        return HccsMemory.ofPeer(key.address(), () -> {});
    }

    /** The exporter hears of this import first, and last that it is closed. */
    private HccsMemory openElsewhere(final RegionDescriptor descriptor, final MemoryKey key)
    {
        final String directory = directory(descriptor);
        final int id = descriptor.id();
        ExporterFile.mark(directory, id, bareProcess);
        try
        {
            final long address = device.ipc().open(key.text());
            return HccsMemory.ofPeer(
                address, () -> leftovers.giveBack("an import", () -> close(directory, id, key)));
        }
        catch (final AclException ex)
        {
            ExporterFile.unmark(directory, id);
            throw new TransportUnavailableException("transport hccs cannot import " + descriptor.name() + " of " +
                descriptor.owner().describe() + " (" + ex.getMessage() +
                "): the region is closed, the rank is gone, or the two processes may not share memory", ex);
        }
    }

    private void close(final String directory, final int id, final MemoryKey key)
    {
        device.ipc().close(key.text());
        try
        {
            ExporterFile.unmark(directory, id);
        }
        catch (final TransportUnavailableException ex)
        {
            LOG.warn("an import on {} was not closed in order: {}", device.describe(), ex.getMessage());
        }
    }

    private static String directory(final RegionDescriptor descriptor)
    {
        return HccsContact.of(descriptor.owner()).directory();
    }
}
