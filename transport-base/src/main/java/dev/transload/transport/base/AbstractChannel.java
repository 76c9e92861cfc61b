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
 * What channels have in common: from the handshake to the end, and the checks before memory is touched.
 * <p>
 * A channel begins as {@code NOT_CONNECTED}. When its peer has accepted it and the transport is ready it is granted,
 * from any thread; the next progress of its worker then lets operations in ({@link #ACCEPTING}). It ends as
 * {@code FAILED}, from any thread, of which the first cause stands, or {@code CLOSED}. An operation first looks at
 * {@link #state()} between {@link AbstractWorker#enter()} and {@link AbstractWorker#exit()}.
 */
public abstract class AbstractChannel implements Channel
{
    /** State of a channel whose operations are accepted; the others are the SPI's statuses. */
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
     * Not connected.
     *
     * @param worker      that it belongs to.
     * @param id          unique to the transport of this rank.
     * @param identity    of the peer, as its address says.
     * @param incarnation of the peer that is meant.
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
     * For channels whose operations are begun by this thread: nothing of theirs can be queued behind kernels that still
     * run. One that has a stream on the kernels' device has something better to do.
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
     * What this channel asks of the peer's transport beyond a connection: a number that the transport gives a meaning,
     * told to the acceptor in {@link ControlHooks#prepare}.
     *
     * @return 0 where there is nothing to tell.
     */
    protected int service()
    {
        return 0;
    }

    /** On the transport's thread: the peer is being asked. What this side needs may be prepared meanwhile. */
    protected void onHello()
    {
        // Nothing, where the peer's consent is all that is needed.
    }

    /**
     * On the transport's thread: the peer has accepted the channel. Grants it, unless overridden by a channel that
     * needs more, which then calls {@link #grant()} itself.
     *
     * @param extra what the acceptor's transport says, read-only, its own to keep.
     */
    protected void onAccepted(final ByteBuffer extra)
    {
        grant();
    }

    /**
     * On the worker's thread: take up what the transport's thread found, and work that was left over.
     *
     * @return work done.
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
     * From any thread: no operation is accepted from here on. One may be under way still; it has ended before
     * {@link #release()} is called.
     */
    protected void shut()
    {
        state = (int)CLOSED;
    }

    /** Once, after {@link #shut()}, when no operation is under way: give native resources back. From any thread. */
    protected void release()
    {
        // Nothing, where there are none.
    }

    /**
     * Number of the channel.
     *
     * @return id, unique to the transport of this rank.
     */
    public final int id()
    {
        return id;
    }

    /**
     * Where it leads.
     *
     * @return the peer's identity.
     */
    public final PeerIdentity identity()
    {
        return identity;
    }

    /**
     * Which life of the peer is meant.
     *
     * @return incarnation.
     */
    public final long incarnation()
    {
        return incarnation;
    }

    /**
     * Whose it is.
     *
     * @return the worker.
     */
    protected final AbstractWorker worker()
    {
        return worker;
    }

    /**
     * What an operation looks at first.
     *
     * @return {@link #ACCEPTING}, or the negative status that the operation returns.
     */
    protected final int state()
    {
        return state;
    }

    /** From any thread: the channel may connect, which its worker's next progress does. */
    public final void grant()
    {
        isGranted = true;
    }

    /**
     * From any thread: end the channel for good; the first cause stands.
     *
     * @param cause of the failure.
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
     * On the worker's thread: operations have been accepted.
     *
     * @param operations how many.
     * @return the new position.
     */
    protected final long advance(final long operations)
    {
        position += operations;
        return position;
    }

    /**
     * Check a region of this rank.
     *
     * @param name   of the argument.
     * @param region which must be open, and of this transport.
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
     * Check memory that was imported.
     *
     * @param name  of the argument.
     * @param found as it was given.
     * @param type  of the transport's own imports; what is found must be one, open, of this worker, and of the peer
     *              that this channel leads to.
     * @param <T>   of the import.
     * @return the import.
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
