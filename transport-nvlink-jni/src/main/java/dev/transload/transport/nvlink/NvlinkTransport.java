/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.nvlink;

import dev.transload.spi.Access;
import dev.transload.spi.MemoryKind;
import dev.transload.spi.Reachability;
import dev.transload.spi.RowList;
import dev.transload.spi.TransportConfig;
import dev.transload.transport.base.AbstractWorker;
import dev.transload.transport.base.AgentIdle;
import dev.transload.transport.base.HostResources;
import dev.transload.transport.base.HostTransport;
import dev.transload.transport.base.PeerIdentity;
import dev.transload.transport.base.RegionMemory;
import dev.transload.transport.base.SharedMemory;
import dev.transload.transport.nvlink.cuda.CudaDevice;
import dev.transload.transport.nvlink.internal.kernels.PinnedLists;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The local resources of one rank: its device, and its part of the host's shared memory. */
final class NvlinkTransport extends HostTransport
{
    private static final Logger LOG = LoggerFactory.getLogger(NvlinkTransport.class);

    private final NvlinkOptions options;
    private final CudaDevice device;
    private final Exports exports;
    private final Memories memories;
    private final PeerMemories peerMemories;
    private final StreamPool streams;
    private final PinnedLists lists;

    private NvlinkTransport(
        final TransportConfig config, final NvlinkOptions options, final CudaDevice device,
        final HostResources resources)
    {
        super(config, NvlinkCapabilities.of(device), resources);
        this.options = options;
        this.device = device;
        this.exports = new Exports(device, NvlinkContact.of(identity()).files());
        this.memories = new Memories(device, directory().path(), exports);
        this.peerMemories =
            new PeerMemories(device, identity(), memories, new FileImports(device, options.timeoutNs()));
        this.streams = new StreamPool(device, options);
        this.lists = new PinnedLists(device);
        start(AgentIdle.of(options.idle(), options.maxParkNs()));
    }

    static NvlinkTransport open(final TransportConfig config, final NvlinkOptions options, final CudaDevice device)
    {
        final NvlinkTransport transport = HostResources.open(NvlinkOptions.TRANSPORT, config,
            options.regionDirectory(), device.describe(), (path) -> new NvlinkContact(device.uuid(), path).encode(),
            (peer) -> NvlinkContact.of(peer).directory())
            .into((resources) -> new NvlinkTransport(config, options, device, resources));
        LOG.info("rank {} drives {}", config.rank(), device.describe());
        return transport;
    }

    @Override
    public RowList allocateRows(final int capacity)
    {
        return lists.rows(capacity);
    }

    @Override
    public int doWork()
    {
        return exports.serve();
    }

    @Override
    protected RegionMemory allocateMemory(
        final int id, final MemoryKind kind, final int ordinal, final long length, final Access access)
    {
        return memories.allocate(id, kind, ordinal, length, access);
    }

    @Override
    protected RegionMemory registerMemory(
        final int id, final MemoryKind kind, final int ordinal, final long address, final long length,
        final Access access)
    {
        return memories.register(id, kind, ordinal, address, length, access);
    }

    @Override
    protected SharedMemory allocateSignalMemory(final int id, final long length)
    {
        return memories.allocateSignals(id, length);
    }

    @Override
    protected AbstractWorker newWorker(final int index)
    {
        return new NvlinkWorker(this, index);
    }

    @Override
    protected void release()
    {
        streams.close();
        memories.close();
        exports.close();
        super.release();
    }

    NvlinkOptions options()
    {
        return options;
    }

    PeerMemories peerMemories()
    {
        return peerMemories;
    }

    StreamPool streams()
    {
        return streams;
    }

    @Override
    protected Reachability reachOnHost(final PeerIdentity peer)
    {
        final NvlinkContact contact = NvlinkContact.of(peer);
        final CudaDevice other = Devices.find(device.driver(), contact.device());
        if (null == other)
        {
            return new Reachability(false, "its device " + contact.device() +
                " is hidden from this process: set no CUDA_VISIBLE_DEVICES per rank");
        }

        if (!device.reaches(other))
        {
            return new Reachability(false, device.describe() + " cannot access " + other.describe() +
                ": there is neither NVLink nor PCIe peer access between them");
        }

        if (device == other)
        {
            LOG.warn("ranks {} and {} share {}: they take turns on it", identity().rank(), peer.rank(),
                device.describe());
        }

        return new Reachability(true, device == other ? "same device" : "device " + device.ordinal() + " to " +
            other.ordinal());
    }
}
