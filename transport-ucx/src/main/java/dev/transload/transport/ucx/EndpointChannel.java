/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.ucx;

import dev.transload.transport.base.AbstractChannel;
import dev.transload.transport.base.PeerIdentity;
import dev.transload.transport.ucx.internal.ucp.UcpCalls;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import org.agrona.UnsafeApi;
import org.openucx.jucx.UcxException;

/**
 * What a channel does besides moving bytes: it gets an endpoint when the peer has said which worker to reach, binds the
 * memory of the peer when it is first used, keeps order by fences, learns from flushes what is done, and ends.
 */
abstract class EndpointChannel extends AbstractChannel
{
    /** UCS_ERR_CONNECTION_RESET. */
    private static final int CONNECTION_RESET = -25;
    private static final long CAUSE_NS = TimeUnit.MILLISECONDS.toNanos(100);

    private final UcxWorker worker;
    private final UcpCalls calls;
    private final PeerDomain domain;
    private final int slot;
    private final int maxOperations;
    private volatile ByteBuffer target;
    private Endpoint endpoint;

    EndpointChannel(
        final UcxWorker worker,
        final int id,
        final int slot,
        final PeerIdentity identity,
        final long incarnation,
        final PeerDomain domain)
    {
        super(worker, id, identity, incarnation);
        this.worker = worker;
        this.calls = domain.calls();
        this.domain = domain;
        this.slot = slot;
        this.maxOperations = domain.maxOperations();
        this.target = domain.isOwn() ? domain.ownTarget() : null;
    }

    @Override
    public final long fence()
    {
        worker.enter();
        try
        {
            if (state() < 0)
            {
                return state();
            }

            // What was stored without UCX, by way of a window too, comes before what follows.
            UnsafeApi.fullFence();
            if (!isUnsettled())
            {
                return advance(1);
            }

            final int status = endpoint.fence(position() + 1);
            return status < 0 ? failed("fence", status) : advance(1);
        }
        finally
        {
            worker.exit();
        }
    }

    @Override
    public final long flush()
    {
        worker.enter();
        try
        {
            if (state() < 0)
            {
                return state();
            }

            UnsafeApi.fullFence();
            final int status = isUnsettled() ? endpoint.flush(position() + 1) : UcpCalls.OK;
            return status < 0 ? failed("flush", status) : advance(1);
        }
        finally
        {
            worker.exit();
        }
    }

    @Override
    public final long releasedPosition()
    {
        return deliveredPosition();
    }

    @Override
    public final long deliveredPosition()
    {
        return null == endpoint ? position() : endpoint.settledPosition(position());
    }

    @Override
    public final int progress()
    {
        if (NOT_CONNECTED == state() && !isEndpointReady())
        {
            return 0;
        }

        final int work = super.progress();
        if (!isUnsettled() || state() < 0)
        {
            return work;
        }

        final int status = endpoint.progress(position());
        if (status < 0)
        {
            failed("flush", status);
            return work + 1;
        }

        return work + status;
    }

    /** On the transport's thread: the peer says which of its workers operations go to. */
    @Override
    protected final void onAccepted(final ByteBuffer extra)
    {
        target = MemoryKey.direct(extra);
        grant();
    }

    @Override
    protected final void release()
    {
        final boolean isAnswering = null != endpoint && null == failure() && domain.isAnswering() &&
            domain.noteAnswer(endpoint.settle());
        worker.forgetKeys(slot);
        if (null != endpoint && !endpoint.close(isAnswering))
        {
            worker.abandon("a channel to rank " + peer() +
                " was closed while it had operations under way that neither that rank nor UCX ends");
        }

        worker.freeSlot(slot);
    }

    /** Whether UCX has operations of this channel under way, so that its worker must be driven. */
    final boolean isUnsettled()
    {
        return null != endpoint && !endpoint.isSettled();
    }

    /** Number of this channel among those that its worker has at a time. */
    final int slot()
    {
        return slot;
    }

    final Endpoint endpoint()
    {
        return endpoint;
    }

    /** Whether memory is written without UCX; the first time, it is asked whether it can be. */
    final boolean isDirect(final RemoteMemory memory)
    {
        return 0 != memory.pointer() || memory.mayHavePointer() && domain.isDirect() && bind(memory);
    }

    private boolean bind(final RemoteMemory memory)
    {
        if (0 == memory.keyHandle(slot) && !unpack(memory))
        {
            return false;
        }

        final int status = memory.findPointer(slot, calls);
        if (status < 0)
        {
            domain.reportIndirect(status);
        }

        return UcpCalls.OK == status;
    }

    /**
     * Whether UCX may be given an operation.
     *
     * @return how many, at least 1, or a negative status.
     */
    final long room(final RemoteMemory memory)
    {
        // Binding may have failed just before.
        if (state() < 0 || endpoint.isHeld())
        {
            return state() < 0 ? state() : BACK_PRESSURED;
        }

        if (0 == memory.keyHandle(slot) && !unpack(memory))
        {
            return state();
        }

        final long room = maxOperations - endpoint.outstanding(position());
        return room > 0 ? room : BACK_PRESSURED;
    }

    final boolean isDirectHeld()
    {
        return null != endpoint && endpoint.isHeld();
    }

    final long submit(final String what, final int operations, final int status)
    {
        if (status < 0)
        {
            return failed(what, status);
        }

        final int flushStatus = endpoint.onSubmitted(advance(operations), operations);
        return flushStatus < 0 ? failed("flush", flushStatus) : position();
    }

    /**
     * Accept a signal, to be given to UCX once all before it is done.
     *
     * @param delta   that is added.
     * @param address of the word at its owner.
     * @param key     handle of its remote key.
     * @return new position or a negative status.
     */
    final long signalLater(final long delta, final long address, final long key)
    {
        if (!endpoint.hasRoomForSignal())
        {
            return BACK_PRESSURED;
        }

        UnsafeApi.fullFence();
        final int status = endpoint.signal(advance(1), delta, address, key);
        return status < 0 ? failed("flush", status) : position();
    }

    /**
     * A read that is no operation of this channel was given to UCX.
     *
     * @return whether its bytes are here already; what they are for is tried again.
     */
    final boolean isRead(final int status)
    {
        final int ended = status < 0 ? status : endpoint.onRead();
        if (ended < 0)
        {
            failed("load", ended);
        }

        return UcpCalls.OK == ended;
    }

    private boolean unpack(final RemoteMemory memory)
    {
        if (memory.isOwnerGone())
        {
            failed("unpacking the key of its memory", CONNECTION_RESET);
            return false;
        }

        try
        {
            memory.unpack(slot, endpoint);
            return true;
        }
        catch (final UcxException ex)
        {
            failed("unpacking the key of its memory", ex.getStatus());
            return false;
        }
    }

    /** Asked once for each round: the peer may answer between two looks, and nothing is accepted without endpoint. */
    private boolean isEndpointReady()
    {
        if (null == target)
        {
            return false;
        }

        if (null == endpoint && domain.needsEndpoint())
        {
            connectEndpoint();
        }

        return true;
    }

    private void connectEndpoint()
    {
        try
        {
            endpoint = domain.connect(worker, target, this::broke);
        }
        catch (final UcxException ex)
        {
            failed("no endpoint can be made to it", ex.getStatus());
        }
    }

    /** UCX cancels what comes after an endpoint broke, and says why it broke when the worker is driven next. */
    private long failed(final String what, final int status)
    {
        final boolean isExplained = UcpCalls.CANCELED == status && null != endpoint &&
            Endpoint.drive(worker::drive, () -> null != failure(), CAUSE_NS);
        return isExplained ? FAILED : broke(what, status);
    }

    /** While UCX is driven, too, which must not be driven from here. */
    private long broke(final String what, final int status)
    {
        fail(domain.failure(what, status));
        return FAILED;
    }
}
