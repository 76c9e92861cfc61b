/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.ucx;

import dev.transload.spi.Access;
import dev.transload.spi.ConfigurationException;
import dev.transload.spi.TransportUnavailableException;
import dev.transload.transport.base.AvailableMemory;
import dev.transload.transport.base.HeapMemory;
import dev.transload.transport.ucx.internal.ucp.UcpCalls;
import dev.transload.transport.ucx.internal.ucp.UcpLibrary;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import org.agrona.UnsafeApi;
import org.openucx.jucx.UcxException;
import org.openucx.jucx.ucp.UcpContext;
import org.openucx.jucx.ucp.UcpMemMapParams;
import org.openucx.jucx.ucp.UcpMemory;
import org.openucx.jucx.ucp.UcpParams;
import org.openucx.jucx.ucp.UcpWorker;
import org.openucx.jucx.ucp.UcpWorkerParams;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** UCX as one transport uses it: the library, its context, and what is made of it. Own context or a lent one. */
final class UcxContext implements AutoCloseable
{
    /** Bit of a setup: UCX of that process was asked for atomics, so that others may add there by UCX. */
    static final int TAKES_ADDS = 1;

    /** Setup of which nothing is known: the application's, which lends a context with atomics. */
    static final int UNKNOWN = TAKES_ADDS;

    private static final Logger LOG = LoggerFactory.getLogger(UcxContext.class);
    private static final int PROBE_LENGTH = 2 << 20;
    private static final Path SHARED_MEMORY = Path.of("/dev/shm");

    private final UcpLibrary library;
    private final TransportSelection selection;
    private final UcxStack stack;
    private final UcpContext context;
    private final UcxDevice device;
    private final UcpCalls calls;
    private final int setup;
    private final RetiredMemory retired = new RetiredMemory();
    private UcxMemory probe;
    private String refusal;

    private UcxContext(
        final UcpLibrary library,
        final TransportSelection selection,
        final UcxStack stack,
        final UcpContext context,
        final UcxDevice device,
        final int setup)
    {
        this.library = library;
        this.selection = selection;
        this.stack = stack;
        this.context = context;
        this.device = device;
        this.calls = device.bound(library.calls());
        this.setup = setup;
    }

    /**
     * Make a context, or take the lent one.
     *
     * @param library   loaded.
     * @param options   of the transport.
     * @param selection of transports within UCX.
     * @param stack     lent by the application, or null.
     * @param device    whose memory is moved besides the host's, current in this thread.
     * @return the context.
     */
    static UcxContext open(
        final UcpLibrary library,
        final UcxOptions options,
        final TransportSelection selection,
        final UcxStack stack,
        final UcxDevice device)
    {
        if (null != stack)
        {
            if (!options.isDefault())
            {
                throw new ConfigurationException("transload.ucx.tls, net-devices and settings are not allowed " +
                    "together with a context of the application: set them when that is made");
            }

            return new UcxContext(library, selection, stack, stack.context(), device, UNKNOWN);
        }

        final boolean takesAdds = NetworkCards.areAddsByUcx(options, selection, library.versions());
        final UcpParams params = features(takesAdds).setMtWorkersShared(true);
        if (!selection.text().isEmpty())
        {
            params.setConfig(UcxOptions.TLS_SETTING, selection.text());
        }

        options.contextSettings().forEach(params::setConfig);
        try
        {
            final int ways = Objects.hash(
                library.versions().toString(), selection.text(), options.netDevices(System.getenv()));
            return new UcxContext(library, selection, null, new UcpContext(params), device,
                takesAdds ? ways | TAKES_ADDS : ways & ~TAKES_ADDS);
        }
        catch (final UcxException ex)
        {
            throw new TransportUnavailableException("transport ucx: " + library.versions() +
                " cannot create a context with " + selection.describe() + ": " + ex.getMessage(), ex);
        }
    }

    /**
     * What is asked of UCX. A network card without atomics is not used where they are asked for, or UCX emulates them.
     *
     * @param takesAdds whether UCX adds, here and at peers.
     */
    static UcpParams features(final boolean takesAdds)
    {
        final UcpParams params = new UcpParams().requestRmaFeature().requestAmFeature();
        return takesAdds ? params.requestAtomic64BitFeature() : params;
    }

    /**
     * Equal in processes of a host whose contexts have the same ways to memory, {@link #UNKNOWN} for a lent one.
     * Its lowest bit is {@link #TAKES_ADDS}.
     */
    int setup()
    {
        return setup;
    }

    UcpLibrary library()
    {
        return library;
    }

    UcpCalls calls()
    {
        return calls;
    }

    /** Whose memory is moved besides the host's. */
    UcxDevice device()
    {
        return device;
    }

    /**
     * Find out whether UCX gives peers access to memory of the device, before any of it is promised. Nothing is
     * registered where UCX does not know such memory.
     *
     * @throws TransportUnavailableException where it does not.
     */
    void probeDevice(final UcxOptions options)
    {
        if (!device.isPresent())
        {
            return;
        }

        device.requireMovedBy(options, library.versions().toString(), context.getMemoryTypesMask());
        try
        {
            probe = allocateOn(device.ordinal(), PROBE_LENGTH);
            probe.memoryKey();
        }
        catch (final TransportUnavailableException | UcxException ex)
        {
            refusal = ex.getMessage();
            LOG.warn("transport ucx: memory of {} cannot be moved by UCX: {}", device.describe(), refusal);
        }
    }

    /** Whether memory of the device is moved as that of the host is. */
    boolean movesDevice()
    {
        return device.isPresent() && null == refusal;
    }

    /** Why not; null where it is, or there is no device. */
    String refusal()
    {
        return refusal;
    }

    /** Memory of the device that is as long as this. */
    UcxMemory deviceWord()
    {
        return probe;
    }

    TransportSelection selection()
    {
        return selection;
    }

    /** Whether UCX can be asked to add to memory of every peer. */
    boolean addsByUcx(final UcxOptions options)
    {
        return NetworkCards.areAddsByUcx(options, selection, library.versions());
    }

    /** What is closed while peers may still write to it. */
    RetiredMemory retired()
    {
        return retired;
    }

    /** Worker that posts operations of the transport's worker of this index. */
    UcpWorker workerOf(final int index)
    {
        final UcpWorker lent = lentWorker(index);
        return null != lent ? lent : newWorker(new UcpWorkerParams());
    }

    /** Whether the worker of this index is the application's, which closes it. */
    boolean isLent(final int index)
    {
        return null != lentWorker(index);
    }

    /** A worker of the transport's own, driven by several threads in turn. */
    UcpWorker newSharedWorker()
    {
        return newWorker(new UcpWorkerParams().requestThreadSafety());
    }

    /** Zeroed host memory: what peers may address is allocated by UCX, so that those of this host can map it. */
    UcxMemory allocate(final long length, final Access access)
    {
        if (Access.LOCAL == access)
        {
            final HeapMemory heap = HeapMemory.allocate(UcxOptions.TRANSPORT, length);
            return UcxMemory.of(device, map(params(heap.address(), length), length), heap, setup);
        }

        AvailableMemory.require(UcxOptions.TRANSPORT, length);
        requireSharedMemory(selection, length, SHARED_MEMORY);
        final UcxMemory memory = UcxMemory.allocated(device,
            map(new UcpMemMapParams().setLength(length).setMemoryType(UcxMemory.HOST).allocate(), length), retired,
            setup);
        UnsafeApi.setMemory(memory.address(), length, (byte)0);
        return memory;
    }

    /** Host memory of the caller. */
    UcxMemory register(final long address, final long length)
    {
        return UcxMemory.registered(device, map(params(address, length), length), address, UcxMemory.HOST, setup);
    }

    /** Zeroed memory of the device. */
    UcxMemory allocateOn(final int ordinal, final long length)
    {
        final long address = device.allocate(ordinal, length);
        try
        {
            return UcxMemory.onDevice(
                device, map(params(address, length).setMemoryType(device.type()), length), retired, address, setup);
        }
        catch (final TransportUnavailableException ex)
        {
            device.free(address);
            throw ex;
        }
    }

    /** Memory of the device that the caller has. */
    UcxMemory registerOn(final int ordinal, final long address, final long length)
    {
        device.requireOwn(ordinal, address, length);
        return UcxMemory.registered(device, map(params(address, length).setMemoryType(device.type()), length), address,
            UcpCalls.MEMORY_TYPE_CUDA, setup);
    }

    @Override
    public void close()
    {
        if (null != probe)
        {
            probe.free();
        }

        if (null == stack)
        {
            device.bind();
            context.close();
        }
    }

    private UcpWorker newWorker(final UcpWorkerParams params)
    {
        device.bind();
        try
        {
            return context.newWorker(params);
        }
        catch (final UcxException ex)
        {
            throw new TransportUnavailableException("transport ucx: UCX makes no worker with " + selection.describe() +
                ": " + ex.getMessage(), ex);
        }
    }

    private UcpWorker lentWorker(final int index)
    {
        return null == stack ? null : stack.worker(index);
    }

    private UcpMemory map(final UcpMemMapParams params, final long length)
    {
        device.bind();
        try
        {
            return context.memoryMap(params);
        }
        catch (final UcxException ex)
        {
            throw new TransportUnavailableException("transport ucx: UCX does not map " + length +
                " bytes of memory: " + ex.getMessage(), ex);
        }
    }

    private static UcpMemMapParams params(final long address, final long length)
    {
        return new UcpMemMapParams().setAddress(address).setLength(length).setMemoryType(UcxMemory.HOST);
    }

    /** UCX would take other memory without a word, or the process would be killed when it writes there. */
    static void requireSharedMemory(final TransportSelection selection, final long length, final Path folder)
    {
        if (!selection.allocatesFiles())
        {
            return;
        }

        try
        {
            final long free = Files.getFileStore(folder).getUsableSpace();
            if (length > free)
            {
                throw new TransportUnavailableException("transport ucx: " + length + " bytes of shared memory were " +
                    "asked for, " + free + " are free in " + folder +
                    ": enlarge it, ask for less, or let UCX use sysv by transload.ucx.tls", null);
            }
        }
        catch (final IOException ex)
        {
            LOG.debug("{} tells nothing of its size", folder, ex);
        }
    }
}
