/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.normal;

import dev.transload.engine.internal.wire.Wait;

/**
 * Delivers what the ranks of the node relay to this rank in a channel: the output's metadata by blocks, and rows that
 * came into rings. It ends when all rows that were announced have come.
 */
public final class Receiver extends Role<DispatchCall>
{
    private final IncomingRows[] streams;
    private final RingCopies copies;
    private DispatchCall call;
    private IncomingRows filled;
    private boolean isKnown;
    private boolean isWritten;
    private int next;

    /**
     * Of a channel.
     *
     * @param streams that ranks of the node relay in the channel.
     * @param copies  of their rows from rings to the output.
     */
    public Receiver(final IncomingRows[] streams, final RingCopies copies)
    {
        super(DispatchCall.class, "receiver");
        this.streams = streams;
        this.copies = copies;
    }

    @Override
    protected boolean begin(final DispatchCall under)
    {
        call = under;
        isKnown = false;
        isWritten = false;
        filled = null;
        copies.begin(call);
        for (final IncomingRows stream : streams)
        {
            stream.begin(call);
        }

        return true;
    }

    @Override
    protected int step()
    {
        if (!isKnown)
        {
            if (!call.isOutputReady())
            {
                return 0;
            }

            isKnown = true;
            for (final IncomingRows stream : streams)
            {
                stream.learn();
            }
        }

        int work = submit();
        boolean areAllRead = true;
        int read = 0;
        for (int i = 0; i < streams.length; i++)
        {
            final IncomingRows stream = streams[(next + i) % streams.length];
            work += stream.reportBlocks();
            // One block a step: the forwarder of this thread has its turn before the next.
            read += 0 == read ? stream.readBlock() : 0;
            areAllRead &= stream.areBlocksRead();
            final int before = stream.taken();
            work += stream.take(copies);
            if (stream.taken() > before && !call.isExposed())
            {
                filled = stream;
                work += submit();
            }
        }

        next = (next + 1) % streams.length;
        if (areAllRead && !isWritten)
        {
            isWritten = true;
            call.topkWritten();
        }

        return work + read;
    }

    private int submit()
    {
        if (null == filled || !filled.submit(copies))
        {
            return 0;
        }

        filled = null;
        return 1;
    }

    @Override
    protected boolean isComplete()
    {
        boolean isAll = isWritten && null == filled;
        for (final IncomingRows stream : streams)
        {
            isAll &= stream.isComplete();
        }

        return isAll;
    }

    @Override
    public boolean isWaiting(final Wait wait)
    {
        if (!isKnown)
        {
            return false;
        }

        for (final IncomingRows stream : streams)
        {
            if (stream.isWaiting(wait))
            {
                return true;
            }
        }

        return false;
    }
}
