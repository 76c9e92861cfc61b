/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.hccs;

import dev.transload.spi.Access;
import dev.transload.spi.MemoryKind;
import dev.transload.spi.Reachability;
import dev.transload.spi.TransportConfig;
import dev.transload.transport.base.AbstractWorker;
import dev.transload.transport.base.AgentIdle;
import dev.transload.transport.base.HostResources;
import dev.transload.transport.base.HostTransport;
import dev.transload.transport.base.PeerIdentity;
import dev.transload.transport.base.RegionMemory;
import dev.transload.transport.base.SharedMemory;
import dev.transload.transport.hccs.internal.acl.AclDevice;
import dev.transload.transport.hccs.internal.acl.Leftovers;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The local resources of one rank: its device, and its part of the host's shared memory. */
final class HccsTransport extends HostTransport
{
    private static final Logger LOG = LoggerFactory.getLogger(HccsTransport.class);

    private final HccsOptions options;
    private final AclDevice device;
    private final Exports exports;
    private final Memories memories;
    private final PeerMemories peerMemories;
    private final Streams streams;
    private final Leftovers leftovers = new Leftovers();
    private final boolean isStrided;

    private HccsTransport(
        final TransportConfig config, final HccsOptions options, final AclDevice device,
        final HostResources resources)
    {
        super(config, HccsCapabilities.of(device.library()), resources);
        this.options = options;
        this.device = device;
        this.peerMemories = new PeerMemories(device, leftovers, identity());
        this.streams = new Streams(device, leftovers, options.timeoutMs());
        this.exports = new Exports(device, directory().path());
        this.memories = new Memories(device, directory().path(), exports, leftovers, options.timeoutMs());
        this.isStrided = StrideProbe.passes(device, leftovers);
        start(AgentIdle.of(options.idle(), options.maxParkNs()));
    }

    static HccsTransport open(final TransportConfig config, final HccsOptions options, final AclDevice device)
    {
        final HccsTransport transport = HostResources.open(HccsOptions.TRANSPORT, config,
            options.regionDirectory(), device.describe(), (path) -> new HccsContact(device.ordinal(), path).encode(),
            (peer) -> HccsContact.of(peer).directory())
            .into((resources) -> new HccsTransport(config, options, device, resources));
        LOG.info("rank {} drives {}", config.rank(), device.describe());
        return transport;
    }

    @Override
    public int doWork()
    {
        return exports.listImporters();
    }

    @Override
    public void onHeartbeat()
    {
        super.onHeartbeat();
        exports.trySweep();
        leftovers.tryAgain();
    }

    @Override
    protected RegionMemory allocateMemory(
        final int id, final MemoryKind kind, final int ordinal, final long length, final Access access)
    {
        return memories.allocate(id, kind, ordinal, length, access);
    }

    @Override
    protected RegionMemory registerMemory(
        final int id,
        final MemoryKind kind,
        final int ordinal,
        final long address,
        final long length,
        final Access access)
    {
        return memories.register(kind, ordinal, address);
    }

    @Override
    protected SharedMemory allocateSignalMemory(final int id, final long length)
    {
        return memories.allocateSignals(id, length);
    }

    @Override
    protected AbstractWorker newWorker(final int index)
    {
        return new HccsWorker(this, index);
    }

    @Override
    protected void release()
    {
        memories.close();
        exports.close();
        leftovers.tryAgain();
        super.release();
    }

    HccsOptions options()
    {
        return options;
    }

    AclDevice device()
    {
        return device;
    }

    PeerMemories peerMemories()
    {
        return peerMemories;
    }

    /** Whether copies by pitches go between memories of devices. */
    boolean isStrided()
    {
        return isStrided;
    }

    Leftovers leftovers()
    {
        return leftovers;
    }

    Streams streams()
    {
        return streams;
    }

    @Override
    protected Reachability reachOnHost(final PeerIdentity peer)
    {
        final HccsContact contact = HccsContact.of(peer);
        if (contact.ordinal() >= device.library().deviceCount())
        {
            return new Reachability(false, "its device " + contact.ordinal() +
                " is hidden from this process: set no ASCEND_RT_VISIBLE_DEVICES per rank");
        }

        final AclDevice other = device.library().device(contact.ordinal());
        if (!device.canReach(other))
        {
            return new Reachability(false, device.describe() + " cannot access " + other.describe() +
                ": there is no HCCS between them");
        }

        return new Reachability(true, device == other ? "same device" :
            "device " + device.ordinal() + " to " + other.ordinal());
    }
}
