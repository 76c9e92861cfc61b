/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.base;

import dev.transload.spi.Channel;
import dev.transload.spi.MemoryRegion;
import dev.transload.spi.TransportException;
import dev.transload.spi.WorkQueue;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;

/**
 * Base class of channels. The class keeps the state of a channel, and checks regions and imports before an operation
 * accesses memory.
 * <p>
 * A new channel has the state {@code NOT_CONNECTED}. When the peer has accepted the channel and the transport is ready,
 * any thread may {@link #grant()} the channel. The next call of the worker's {@code progress()} then sets the state
 * {@link #ACCEPTING}. Any thread may set the state {@code FAILED}. A channel in the state {@code FAILED} or
 * {@code CLOSED} never accepts operations again. If a channel fails several times, the first cause is kept. Each
 * operation reads {@link #state()} between {@link AbstractWorker#enter()} and {@link AbstractWorker#exit()}.
 */
public abstract class AbstractChannel implements Channel
{
    /** State of a channel that accepts operations. All other states are negative statuses of the SPI. */
    protected static final int ACCEPTING = 0;

    private static final VarHandle STATE;
    private static final VarHandle FAILURE;

    private final AbstractWorker worker;
    private final int id;
    private final PeerIdentity identity;
    private final long incarnation;
    private volatile int state = (int)NOT_CONNECTED;
    private volatile boolean isGranted;
    private volatile boolean connected;
    private volatile TransportException failure;
    private boolean released;
    private long position;

    static
    {
        try
        {
            final MethodHandles.Lookup lookup = MethodHandles.lookup();
            STATE = lookup.findVarHandle(AbstractChannel.class, "state", int.class);
            FAILURE = lookup.findVarHandle(AbstractChannel.class, "failure", TransportException.class);
        }
        catch (final ReflectiveOperationException ex)
        {
            throw new ExceptionInInitializerError(ex);
        }
    }

    /**
     * Creates a channel that is not connected.
     *
     * @param worker      worker to which the channel belongs.
     * @param id          ID of the channel, unique within the transport of this rank.
     * @param identity    identity of the peer, taken from the peer's worker address.
     * @param incarnation incarnation that the peer must have; see {@link dev.transload.spi.Worker#connect}.
     */
    protected AbstractChannel(
        final AbstractWorker worker, final int id, final PeerIdentity identity, final long incarnation)
    {
        this.worker = worker;
        this.id = id;
        this.identity = identity;
        this.incarnation = incarnation;
    }

    @Override
    public final int peer()
    {
        return identity.rank();
    }

    @Override
    public final boolean isConnected()
    {
        return connected;
    }

    @Override
    public final long position()
    {
        return position;
    }

    @Override
    public final TransportException failure()
    {
        // The cause is there a moment before operations are refused: until they are, nobody is told.
        final int seen = state;
        return (int)FAILED == seen || (int)CLOSED == seen ? failure : null;
    }

    /**
     * {@inheritDoc}
     * <p>
     * This implementation is for channels whose operations are started by the calling thread. The implementation cannot
     * queue operations behind kernels that are still running, so it returns {@code BACK_PRESSURED} until these kernels
     * are complete. A channel that has a device stream (such as a CUDA stream) on the kernels' device should override
     * this method.
     */
    @Override
    public long startAfter(final WorkQueue kernels, final long kernelsPosition)
    {
        worker.checkThread();
        if (kernelsPosition > kernels.position())
        {
            throw new IllegalArgumentException("position=" + kernelsPosition + ": the kernels have submitted only " +
                kernels.position() + " operations");
        }

        if (state < 0)
        {
            return state;
        }

        return kernels.completedPosition() >= kernelsPosition ? position : BACK_PRESSURED;
    }

    @Override
    public final void close()
    {
        if (CLOSED != state)
        {
            // Bracketed as an operation: another thread that closes the transport waits until this is done.
            worker.enter();
            try
            {
                worker.forget(this);
                shut();
                releaseOnce();
            }
            finally
            {
                worker.exit();
            }
        }
    }

    /**
     * Returns a number that describes what the channel needs from the peer's transport. The transport defines the
     * meaning of the number. The peer receives the number in {@link ControlHooks#prepare}.
     *
     * @return service number, 0 if the channel only needs a connection.
     */
    protected int service()
    {
        return 0;
    }

    /**
     * This method is called on the transport's thread when the peer is asked for a connection. A subclass may prepare
     * its resources here.
     */
    protected void onHello()
    {
        // Nothing, where the peer's consent is all that is needed.
    }

    /**
     * This method is called on the transport's thread when the peer has accepted the channel. The default
     * implementation grants the channel. A channel that needs further steps overrides this method and calls
     * {@link #grant()} later.
     *
     * @param extra read-only bytes sent by the peer's transport; the channel may keep the buffer.
     */
    protected void onAccepted(final ByteBuffer extra)
    {
        grant();
    }

    /**
     * Applies state changes that the transport's thread made, and continues unfinished work. This method is called on
     * the worker's thread.
     *
     * @return amount of work done, 0 if there was none.
     */
    public int progress()
    {
        if (NOT_CONNECTED == state && isGranted)
        {
            return STATE.compareAndSet(this, (int)NOT_CONNECTED, ACCEPTING) ? markConnected() : 0;
        }

        return 0;
    }

    /**
     * Stops accepting operations. Any thread may call this method. An operation that is already running ends before
     * {@link #release()} is called.
     */
    protected void shut()
    {
        state = (int)CLOSED;
    }

    /**
     * Frees native resources. This method is called once, by any thread, after {@link #shut()} and when no operation is
     * running.
     */
    protected void release()
    {
        // Nothing, where there are none.
    }

    /**
     * Returns the ID of the channel.
     *
     * @return ID, unique within the transport of this rank.
     */
    public final int id()
    {
        return id;
    }

    /**
     * Returns the identity of the peer.
     *
     * @return identity of the peer.
     */
    public final PeerIdentity identity()
    {
        return identity;
    }

    /**
     * Returns the incarnation of the peer to which the channel connects.
     *
     * @return incarnation of the peer.
     */
    public final long incarnation()
    {
        return incarnation;
    }

    /**
     * Returns the worker to which the channel belongs.
     *
     * @return the worker.
     */
    protected final AbstractWorker worker()
    {
        return worker;
    }

    /**
     * Returns the state of the channel. Every operation checks the state first.
     *
     * @return {@link #ACCEPTING}, or the negative status that the operation returns.
     */
    protected final int state()
    {
        return state;
    }

    /**
     * Allows the channel to connect. Any thread may call this method. The next call of the worker's {@code progress()}
     * connects the channel.
     */
    public final void grant()
    {
        isGranted = true;
    }

    /**
     * Makes the channel fail permanently. Any thread may call this method. If this method is called several times, the
     * first cause is kept.
     *
     * @param cause cause of the failure.
     */
    public final void fail(final TransportException cause)
    {
        int seen = state;
        while (seen != (int)CLOSED && seen != (int)FAILED)
        {
            // The cause before the state: a thread that sees the state asks for it.
            FAILURE.compareAndSet(this, null, cause);
            if (STATE.compareAndSet(this, seen, (int)FAILED))
            {
                return;
            }

            seen = state;
        }
    }

    /**
     * Advances the position after operations have been accepted. Only the worker's thread may call this method.
     *
     * @param operations number of accepted operations.
     * @return the new position.
     */
    protected final long advance(final long operations)
    {
        position += operations;
        return position;
    }

    /**
     * Checks that a region belongs to this transport and is open.
     *
     * @param name   name of the argument, for error messages.
     * @param region region to check.
     * @return the region.
     */
    protected final LocalRegion local(final String name, final MemoryRegion region)
    {
        if (!(region instanceof LocalRegion) || !worker.owns((LocalRegion)region))
        {
            throw new IllegalArgumentException(name + " is not a region of this transport: " + region);
        }

        final LocalRegion local = (LocalRegion)region;
        if (!local.isOpen())
        {
            throw new IllegalStateException(name + " is closed: no operation may use it");
        }

        return local;
    }

    /**
     * Checks that imported memory is open and belongs to this worker and to the peer of this channel.
     *
     * @param name  name of the argument, for error messages.
     * @param found object that the caller passed.
     * @param type  class that the import must have.
     * @param <T>   type of the import.
     * @return the import, cast to its type.
     */
    protected final <T extends Import> T imported(final String name, final AutoCloseable found, final Class<T> type)
    {
        if (!type.isInstance(found))
        {
            throw new IllegalArgumentException(name + " is nothing that transport " + identity.transport() +
                " imported for this operation: " + found);
        }

        final T imported = type.cast(found);
        if (!imported.belongsTo(worker))
        {
            throw new IllegalArgumentException(name + " was imported by another worker");
        }

        if (imported.owner().transportId() != identity.transportId())
        {
            throw new IllegalArgumentException(name + " was imported from " + imported.owner().describe() +
                ", this channel leads to " + identity.describe());
        }

        if (!imported.isOpen())
        {
            throw new IllegalStateException(name + " is closed: no operation may use it");
        }

        return imported;
    }

    /** Two threads may end a channel at once. */
    final synchronized void releaseOnce()
    {
        if (!released)
        {
            released = true;
            release();
        }
    }

    private int markConnected()
    {
        connected = true;
        return 1;
    }
}
