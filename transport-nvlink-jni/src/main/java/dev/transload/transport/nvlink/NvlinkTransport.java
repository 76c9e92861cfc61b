/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.nvlink;

import dev.transload.spi.Access;
import dev.transload.spi.MemoryKind;
import dev.transload.spi.Reachability;
import dev.transload.spi.RowList;
import dev.transload.spi.TransportConfig;
import dev.transload.spi.TransportException;
import dev.transload.transport.base.AbstractTransport;
import dev.transload.transport.base.AbstractWorker;
import dev.transload.transport.base.AgentIdle;
import dev.transload.transport.base.ControlHooks;
import dev.transload.transport.base.HostResources;
import dev.transload.transport.base.PeerIdentity;
import dev.transload.transport.base.PrivateDirectory;
import dev.transload.transport.base.RegionMemory;
import dev.transload.transport.base.Remains;
import dev.transload.transport.base.SharedMemory;
import dev.transload.transport.nvlink.cuda.CudaDevice;
import dev.transload.transport.nvlink.kernels.PinnedLists;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The local resources of one rank: its device, and its part of the host's shared memory. */
final class NvlinkTransport extends AbstractTransport implements ControlHooks
{
    private static final Logger LOG = LoggerFactory.getLogger(NvlinkTransport.class);

    private final NvlinkOptions options;
    private final CudaDevice device;
    private final PrivateDirectory directory;
    private final Exports exports;
    private final Memories memories;
    private final PeerMemories peerMemories;
    private final StreamPool streams;
    private final PinnedLists lists;
    private final Remains remains = new Remains();
    private final Map<Long, Reachability> verdicts = new ConcurrentHashMap<>();

    private NvlinkTransport(
        final TransportConfig config, final NvlinkOptions options, final CudaDevice device,
        final HostResources resources)
    {
        super(config, NvlinkCapabilities.of(device), resources.identity(), resources.identity());
        this.options = options;
        this.device = device;
        this.directory = resources.directory();
        this.exports = new Exports(device, NvlinkContact.of(identity()).files());
        this.memories = new Memories(device, directory.path(), exports);
        this.peerMemories =
            new PeerMemories(device, identity(), memories, new FileImports(device, options.timeoutNs()));
        this.streams = new StreamPool(device, options);
        this.lists = new PinnedLists(device);
        control(resources.medium(), this, AgentIdle.of(options.idle(), options.maxParkNs()));
        resources.medium().reportTo((peer) -> agent().reportFailed(
            peer, "its process ended or closed its control socket", TransportException.NO_STATUS, null));
        agent().start();
    }

    static NvlinkTransport open(final TransportConfig config, final NvlinkOptions options, final CudaDevice device)
    {
        final HostResources resources = HostResources.open(NvlinkOptions.TRANSPORT, config, options.regionDirectory(),
            device.describe(),
            (path) -> new NvlinkContact(device.uuid(), path).encode(),
            (peer) -> NvlinkContact.of(peer).socket());
        NvlinkTransport transport = null;
        try
        {
            transport = new NvlinkTransport(config, options, device, resources);
            LOG.info("rank {} drives {}", config.rank(), device.describe());
            return transport;
        }
        finally
        {
            if (null == transport)
            {
                resources.close();
            }
        }
    }

    @Override
    public RowList allocateRows(final int capacity)
    {
        return lists.rows(capacity);
    }

    @Override
    public void onPeerFailed(final PeerIdentity peer)
    {
        remains.add(NvlinkContact.of(peer).directory());
    }

    @Override
    public int doWork()
    {
        return exports.serve();
    }

    @Override
    public void onHeartbeat()
    {
        remains.cleanUp();
    }

    @Override
    protected Reachability reach(final PeerIdentity peer)
    {
        return verdicts.computeIfAbsent(peer.transportId(), (id) -> judge(peer));
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
        directory.close();
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

    private Reachability judge(final PeerIdentity peer)
    {
        if (identity().isSame(peer))
        {
            return new Reachability(true, "own memory");
        }

        if (!identity().process().sharesHostWith(peer.process()))
        {
            return new Reachability(false, "it is on another host");
        }

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

        final String obstacle = PrivateDirectory.obstacle(contact.directory());
        if (null != obstacle)
        {
            return new Reachability(false, obstacle);
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
