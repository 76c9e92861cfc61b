/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.ring;

import dev.transload.engine.internal.connect.Connection;
import dev.transload.engine.internal.connect.Section;
import dev.transload.engine.internal.wire.Wait;
import dev.transload.spi.Channel;

/** A meta message on its way: a put, then a signal that adds one. One message at a time. */
public final class MetaTransfer
{
    private final Connection connection;
    private final Section source;
    private final Section target;
    private final int signal;
    private boolean isPut;
    private long sourceOffset;
    private long targetOffset;
    private int length;
    private boolean isActive;
    private long sourcePosition;

    /**
     * For one place at a peer.
     *
     * @param signal index among the peer's signals of the connection's stage.
     */
    public MetaTransfer(final Connection connection, final Section source, final Section target, final int signal)
    {
        this.connection = connection;
        this.source = source;
        this.target = target;
        this.signal = signal;
    }

    /** Begin a message. */
    public void begin(final long sourceIndex, final long targetIndex, final int bytes)
    {
        sourceOffset = source.offset(sourceIndex);
        targetOffset = target.offset(targetIndex);
        length = bytes;
        isPut = false;
        isActive = true;
    }

    /**
     * Begin a message without bytes: the signal says all.
     */
    public void beginSignal()
    {
        isPut = true;
        isActive = true;
    }

    /** Position at which the memory of the last message that was accepted is released. */
    public long sourcePosition()
    {
        return sourcePosition;
    }

    /**
     * Whether a message is on its way.
     *
     * @return true until all of it is accepted.
     */
    public boolean isActive()
    {
        return isActive;
    }

    /** Whether the memory sent from may be written again. */
    public boolean isReleased()
    {
        return !isActive && connection.channel().releasedPosition() >= sourcePosition;
    }

    /** Report a message that is under way. */
    public boolean isWaiting(final Wait wait)
    {
        return connection.isWaiting(wait, sourcePosition, isActive);
    }

    /**
     * Report one of several messages that is under way.
     *
     * @param transfers null where there is none.
     * @return false if all of them are released.
     */
    public static boolean isAnyWaiting(final MetaTransfer[] transfers, final Wait wait)
    {
        for (final MetaTransfer transfer : transfers)
        {
            if (null != transfer && transfer.isWaiting(wait))
            {
                return true;
            }
        }

        return false;
    }

    public Connection connection()
    {
        return connection;
    }

    /** Hand on what the channels of several messages take; null where there is none. */
    public static int advance(final MetaTransfer[] transfers)
    {
        int work = 0;
        for (final MetaTransfer transfer : transfers)
        {
            work += null == transfer ? 0 : transfer.advance();
        }

        return work;
    }

    /** Hand on what the channel takes. */
    public int advance()
    {
        int work = 0;
        while (isActive && stepOn())
        {
            work++;
        }

        return work;
    }

    private boolean stepOn()
    {
        final Channel channel = connection.channel();
        if (isPut)
        {
            isActive = !connection.isAccepted(channel.signal(connection.signals(), signal, 1));
            return !isActive;
        }

        final long position = channel.put(
            source.arena().region(connection.stage()), sourceOffset, connection.remote(target), targetOffset, length);
        if (!connection.isAccepted(position))
        {
            return false;
        }

        sourcePosition = position;
        isPut = true;
        return true;
    }
}
