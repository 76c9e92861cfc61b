/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.ucx;

import dev.transload.spi.Capability;
import dev.transload.spi.MemoryRegion;
import dev.transload.spi.RemoteRegion;
import dev.transload.spi.RemoteSignals;
import dev.transload.spi.TransportException;
import dev.transload.transport.base.AbstractChannel;
import dev.transload.transport.base.AbstractWorker;
import dev.transload.transport.base.PeerIdentity;
import dev.transload.transport.base.RegionDescriptor;
import dev.transload.transport.ucx.internal.ucp.UcpCalls;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import org.openucx.jucx.ucp.UcpRemoteKey;
import org.openucx.jucx.ucp.UcpWorker;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A progress domain: one worker of UCX, which posts the operations of its channels, each by an endpoint of its own. */
final class UcxWorker extends AbstractWorker
{
    private static final Logger LOG = LoggerFactory.getLogger(UcxWorker.class);

    /** A worker that waits for nothing is driven every so many rounds, for UCX's own housekeeping. */
    private static final int HOUSEKEEPING_ROUNDS = 64;

    /** A look at what peers ask for is a call into UCX, and over TCP into the kernel. */
    private static final int QUIET_ROUNDS = 8;
    private static final int ATTENTIVE_ROUNDS = 1024;

    private final UcxTransport transport;
    private final UcpCalls calls;
    private final UcpWorker ucp;
    private final long handle;
    private final BitSet slots = new BitSet();
    private final List<RemoteMemory> memories = new ArrayList<>();
    private final List<SpareKey> spareKeys = new ArrayList<>();
    private MemoryMapper mapper;
    private ReadBack readBack;
    private boolean isAbandoned;
    private int rounds;
    private int inboundRounds;

    /** A key of memory that is closed, while operations of a channel may need it. */
    private record SpareKey(int slot, UcpRemoteKey key)
    {
        boolean closeIfOf(final int channelSlot)
        {
            if (slot == channelSlot)
            {
                key.close();
            }

            return slot == channelSlot;
        }
    }

    UcxWorker(final UcxTransport transport, final int index)
    {
        super(transport, index);
        this.transport = transport;
        this.calls = transport.context().calls();
        this.ucp = transport.context().workerOf(index);
        this.handle = ucp.getNativeId();
    }

    @Override
    public RemoteRegion importRegion(final int peer, final ByteBuffer descriptor)
    {
        return importMemory(RegionDescriptor.REGION, peer, descriptor,
            (decoded, own) -> remember(new ImportedRegion(this, decoded, own, transport.options().direct())));
    }

    @Override
    public RemoteSignals importSignals(final int peer, final ByteBuffer descriptor)
    {
        return importMemory(RegionDescriptor.SIGNALS, peer, descriptor,
            (decoded, own) -> remember(new ImportedSignals(this, decoded, own, transport.options().direct())));
    }

    @Override
    public int progress()
    {
        enter();
        try
        {
            return isOpen() ? doWork() : 0;
        }
        finally
        {
            exit();
        }
    }

    @Override
    public void acquire(final MemoryRegion region)
    {
        super.acquire(region);
        if (!region.kind().isHost())
        {
            acquireDevice();
        }
    }

    @Override
    protected AbstractChannel newChannel(final int id, final PeerIdentity identity, final long incarnation)
    {
        return new UcxChannel(this, id, takeSlot(), identity, incarnation, transport.domain(identity));
    }

    @Override
    protected void release()
    {
        if (null != mapper)
        {
            mapper.close();
        }

        if (null != readBack)
        {
            readBack.close();
        }

        calls.bind();
        if (!transport.context().isLent(index()))
        {
            ucp.close();
        }
    }

    /** Of UCX. */
    UcpWorker ucp()
    {
        return ucp;
    }

    /** Of UCX ({@code ucp_worker_h}). */
    long handle()
    {
        return handle;
    }

    /** Whether memory of an owner can be mapped, as far as is known without trying. */
    boolean mayMap(final PeerIdentity memoryOwner, final int setup)
    {
        return transport.capabilities().has(Capability.WINDOWS) && transport.context().setup() == setup &&
            transport.identity().process().sharesHostWith(memoryOwner.process());
    }

    /** Of this worker, on its thread; made when it is first needed. */
    MemoryMapper mapper()
    {
        if (null == mapper)
        {
            mapper = new MemoryMapper(transport.endpoints(), ucp, transport.target().address(), this::drive);
        }

        return mapper;
    }

    /** Whether memory of a device was acquired by a read through the card. */
    boolean readsBack()
    {
        return null != readBack;
    }

    /** For threads that wait for an end: drives UCX, and what peers in this process want of us. */
    void drive()
    {
        if (!isAbandoned)
        {
            calls.progress(handle);
        }

        transport.target().progress();
    }

    /** A channel ends: its keys go before its endpoint. */
    void forgetKeys(final int slot)
    {
        synchronized (memories)
        {
            memories.forEach((memory) -> memory.forget(slot));
            spareKeys.removeIf((spare) -> spare.closeIfOf(slot));
        }
    }

    /** Memory is closed: its key goes at once, or with the channel that has operations under way. */
    void closeKey(final int slot, final UcpRemoteKey key)
    {
        synchronized (memories)
        {
            spareKeys.add(new SpareKey(slot, key));
            if (!isUnsettled(slot))
            {
                spareKeys.removeIf((spare) -> spare.closeIfOf(slot));
            }
        }
    }

    void freeSlot(final int slot)
    {
        synchronized (memories)
        {
            slots.clear(slot);
        }
    }

    void forgetMemory(final RemoteMemory memory)
    {
        synchronized (memories)
        {
            memories.remove(memory);
        }
    }

    /** UCX would read memory that is no longer ours if it were driven: it is not, from here on. */
    void abandon(final String why)
    {
        if (isAbandoned)
        {
            return;
        }

        isAbandoned = true;
        LOG.warn("transport ucx: worker {} of rank {} is given up: {}", index(), transport.identity().rank(), why);
        for (final AbstractChannel channel : channels())
        {
            channel.fail(new TransportException("transport ucx: worker " + index() + " was given up: " + why,
                TransportException.NO_STATUS, null));
        }
    }

    private void acquireDevice()
    {
        final UcxDevice device = transport.context().device();
        if (UcxDevice.Acquire.FLUSH == device.acquire())
        {
            device.flushWrites();
        }
        else if (UcxDevice.Acquire.READ_BACK == device.acquire())
        {
            readBack();
        }
    }

    private void readBack()
    {
        enter();
        try
        {
            checkOpen();
            if (null == readBack)
            {
                readBack = new ReadBack(transport.endpoints(), ucp, transport.target().address(),
                    transport.context().deviceWord().memoryKey(), this::drive);
            }

            readBack.run();
        }
        finally
        {
            exit();
        }
    }

    private boolean isUnsettled(final int slot)
    {
        for (final AbstractChannel channel : channels())
        {
            if (((UcxChannel)channel).slot() == slot)
            {
                return ((UcxChannel)channel).isUnsettled();
            }
        }

        return false;
    }

    private int doWork()
    {
        final List<AbstractChannel> channels = channels();
        boolean isWaiting = 0 == (++rounds & HOUSEKEEPING_ROUNDS - 1);
        for (int i = 0; i < channels.size() && !isWaiting; i++)
        {
            isWaiting = ((UcxChannel)channels.get(i)).isUnsettled();
        }

        int work = isWaiting && !isAbandoned ? calls.progress(handle) : 0;
        for (int i = 0; i < channels.size(); i++)
        {
            work += channels.get(i).progress();
        }

        return work + progressInbound();
    }

    /** Peers that write directly never ask for anything: every few rounds are enough to see that one does. */
    private int progressInbound()
    {
        if (0 == inboundRounds && 0 != (rounds & QUIET_ROUNDS - 1))
        {
            return 0;
        }

        final int work = transport.target().progress();
        inboundRounds = work > 0 ? ATTENTIVE_ROUNDS : Math.max(0, inboundRounds - 1);
        return work;
    }

    private <T extends RemoteMemory> T remember(final T memory)
    {
        synchronized (memories)
        {
            memories.add(memory);
        }

        return memory;
    }

    private int takeSlot()
    {
        synchronized (memories)
        {
            final int slot = slots.nextClearBit(0);
            slots.set(slot);
            return slot;
        }
    }
}
