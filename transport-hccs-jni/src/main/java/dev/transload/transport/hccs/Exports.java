/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.hccs;

import dev.transload.spi.TransportException;
import dev.transload.transport.hccs.internal.acl.AclDevice;
import dev.transload.transport.hccs.internal.acl.AclException;
import dev.transload.transport.hccs.internal.acl.AclIpc;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.agrona.collections.IntArrayList;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Memory of the device that other processes may import. All processes that announced themselves may import all of it.
 * What is given back here is closed and freed once nobody imports it any more: the runtime wants importers to close
 * first.
 */
final class Exports implements AutoCloseable
{
    private static final Logger LOG = LoggerFactory.getLogger(Exports.class);

    private final AclDevice device;
    private final ImporterList importers;
    private final List<Exported> live = new ArrayList<>();
    private final List<Exported> retired = new ArrayList<>();
    private final IntArrayList listed = new IntArrayList();

    /** An allocation and its key. */
    private record Exported(int id, long address, AclIpc.Export export)
    {
    }

    Exports(final AclDevice device, final Path directory)
    {
        this.device = device;
        this.importers = new ImporterList(directory);
    }

    /** Export an allocation, which this gives back from here on. */
    synchronized String add(final int id, final long address, final long bytes)
    {
        final AclIpc.Export export = device.ipc().export(address, bytes);
        final Exported exported = new Exported(id, address, export);
        boolean isDone = false;
        try
        {
            listed.forEachOrderedInt(export::allow);
            live.add(exported);
            isDone = true;
            return export.key();
        }
        finally
        {
            if (!isDone)
            {
                export.close();
            }
        }
    }

    /** Give the memory of a region back: now, or when nobody imports it. */
    synchronized void retire(final int id)
    {
        for (int i = 0; i < live.size(); i++)
        {
            if (id == live.get(i).id)
            {
                retired.add(live.remove(i));
                break;
            }
        }

        trySweep();
    }

    /** How many regions were given back and are imported still. */
    synchronized int waiting()
    {
        return retired.size();
    }

    private void sweep()
    {
        for (int i = retired.size() - 1; i >= 0; i--)
        {
            final Exported exported = retired.get(i);
            if (!importers.isImported(exported.id))
            {
                exported.export.close();
                device.free(exported.address);
                retired.remove(i);
            }
        }
    }

    /**
     * Free what nobody imports any more; what the runtime does not take back is offered again next time.
     *
     * @return false if it took something not back.
     */
    synchronized boolean trySweep()
    {
        try
        {
            sweep();
            return true;
        }
        catch (final TransportException ex)
        {
            LOG.warn("memory of {} was not given back: {}", device.describe(), ex.getMessage());
            return false;
        }
    }

    /** On the transport's thread: list who wants to import; costs one look at memory when nobody does. */
    int listImporters()
    {
        return importers.hasNew() ? listNow() : 0;
    }

    /** What others still import is given back when they have closed it, see {@link LateExports}. */
    @Override
    public void close()
    {
        if (!trySweep())
        {
            trySweep();
        }

        if (0 == waiting())
        {
            importers.close();
            return;
        }

        LOG.info("{} regions of {} are given back when other processes have closed them", waiting(), device.describe());
        LateExports.add(this);
    }

    /** After the end of the transport: whether nothing is left to wait for. What is not taken back now stays. */
    synchronized boolean isOver()
    {
        if (trySweep() && !retired.isEmpty())
        {
            return false;
        }

        importers.close();
        return true;
    }

    private synchronized int listNow()
    {
        return importers.list(this::allow);
    }

    /** A process that cannot be listed is refused by the runtime when it imports. */
    private void allow(final int number)
    {
        try
        {
            for (final Exported exported : live)
            {
                exported.export.allow(number);
            }

            listed.addInt(number);
        }
        catch (final AclException ex)
        {
            LOG.warn("process {} is not listed as an importer: {}", number, ex.getMessage());
        }
    }
}
