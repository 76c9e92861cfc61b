/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.membership;

import dev.transload.engine.internal.membership.Message.Accept;
import dev.transload.engine.internal.membership.Message.Accepted;
import dev.transload.engine.internal.membership.Message.Commit;
import dev.transload.engine.internal.membership.Message.Envelope;
import dev.transload.engine.internal.membership.Message.Prepare;
import dev.transload.engine.internal.membership.Message.Promise;
import dev.transload.engine.internal.membership.Message.Refused;
import dev.transload.engine.internal.membership.Message.Report;
import dev.transload.engine.internal.membership.Message.Return;
import dev.transload.engine.internal.membership.Message.Vote;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * Messages as bytes, big-endian. Header: receiver i32, kind i8, epoch i32. A set of ranks has one bit for each rank of
 * the world, in whole i64. A view: its epoch i32, alive, returned, an i64 incarnation for each rank, first call i64. A
 * vote: its ballot i32 and view.
 */
public final class MessageCodec
{
    private static final byte REPORT = 1;
    private static final byte PREPARE = 2;
    private static final byte PROMISE = 3;
    private static final byte ACCEPT = 4;
    private static final byte ACCEPTED = 5;
    private static final byte REFUSED = 6;
    private static final byte COMMIT = 7;
    private static final byte RETURN = 8;
    private static final int HEADER_BYTES = 2 * Integer.BYTES + 1;

    private final int size;
    private final int setWords;

    /**
     * For a world.
     *
     * @param size number of ranks.
     */
    public MessageCodec(final int size)
    {
        this.size = size;
        this.setWords = (size + Long.SIZE - 1) / Long.SIZE;
    }

    /**
     * A message to send.
     *
     * @param prefix that comes first, by which the receiver knows it.
     * @return its bytes, from position to limit.
     */
    public ByteBuffer encode(final int prefix, final Envelope envelope)
    {
        final Message message = envelope.message();
        // The longest one: two sets, call, vote.
        final ByteBuffer bytes = ByteBuffer.allocate(
            HEADER_BYTES + (4 * setWords + size + 3) * Long.BYTES + 5 * Integer.BYTES);
        bytes.putInt(prefix).putInt(envelope.to());
        if (message instanceof Report)
        {
            put(begin(bytes, REPORT, message), ((Report)message).heard());
        }
        else if (message instanceof Prepare)
        {
            begin(bytes, PREPARE, message).putInt(((Prepare)message).ballot());
        }
        else if (message instanceof Promise)
        {
            final Promise promise = (Promise)message;
            begin(bytes, PROMISE, message).putInt(promise.ballot());
            put(bytes, promise.heard());
            put(bytes, promise.dead());
            bytes.putLong(promise.nextCall()).put((byte)(null == promise.accepted() ? 0 : 1));
            if (null != promise.accepted())
            {
                put(bytes, promise.accepted());
            }
        }
        else if (message instanceof Accept)
        {
            put(begin(bytes, ACCEPT, message), ((Accept)message).proposed());
        }
        else if (message instanceof Accepted)
        {
            begin(bytes, ACCEPTED, message).putInt(((Accepted)message).ballot());
        }
        else if (message instanceof Refused)
        {
            begin(bytes, REFUSED, message).putInt(((Refused)message).promised());
        }
        else if (message instanceof Commit)
        {
            put(begin(bytes, COMMIT, message), ((Commit)message).view());
        }
        else
        {
            begin(bytes, RETURN, message).putLong(((Return)message).incarnation());
        }

        return bytes.flip();
    }

    private static ByteBuffer begin(final ByteBuffer bytes, final byte kind, final Message message)
    {
        return bytes.put(kind).putInt(message.epoch());
    }

    /**
     * A message that came, from behind its prefix to the limit.
     *
     * @return message and its receiver.
     * @throws IllegalArgumentException if it is none.
     */
    public Envelope decode(final ByteBuffer bytes)
    {
        try
        {
            return new Envelope(bytes.getInt(), message(bytes));
        }
        catch (final BufferUnderflowException ex)
        {
            throw new IllegalArgumentException("a message about the group is too short", ex);
        }
    }

    private Message message(final ByteBuffer bytes)
    {
        final byte kind = bytes.get();
        final int epoch = bytes.getInt();
        switch (kind)
        {
            case REPORT:
                return new Report(epoch, set(bytes));
            case PREPARE:
                return new Prepare(epoch, bytes.getInt());
            case PROMISE:
                return new Promise(epoch, bytes.getInt(), set(bytes), set(bytes), bytes.getLong(),
                    0 == bytes.get() ? null : vote(bytes));
            case ACCEPT:
                return new Accept(epoch, vote(bytes));
            case ACCEPTED:
                return new Accepted(epoch, bytes.getInt());
            case REFUSED:
                return new Refused(epoch, bytes.getInt());
            case COMMIT:
                return new Commit(view(bytes));
            case RETURN:
                return new Return(bytes.getLong());
            default:
                throw new IllegalArgumentException("a message about the group is of kind " + kind);
        }
    }

    private void put(final ByteBuffer bytes, final Vote vote)
    {
        put(bytes.putInt(vote.ballot()), vote.view());
    }

    private Vote vote(final ByteBuffer bytes)
    {
        return new Vote(bytes.getInt(), view(bytes));
    }

    private void put(final ByteBuffer bytes, final GroupView view)
    {
        put(bytes.putInt(view.epoch()), view.alive());
        put(bytes, view.returned());
        view.lives().forEach(bytes::putLong);
        bytes.putLong(view.firstCall());
    }

    private GroupView view(final ByteBuffer bytes)
    {
        final int epoch = bytes.getInt();
        final RankSet alive = set(bytes);
        final RankSet returned = set(bytes);
        final List<Long> lives = new ArrayList<>();
        for (int rank = 0; rank < size; rank++)
        {
            lives.add(bytes.getLong());
        }

        return new GroupView(epoch, alive, returned, lives, bytes.getLong());
    }

    private void put(final ByteBuffer bytes, final RankSet ranks)
    {
        for (int word = 0; word < setWords; word++)
        {
            long bits = 0;
            for (int bit = 0; bit < Long.SIZE; bit++)
            {
                bits |= ranks.contains(word * Long.SIZE + bit) ? 1L << bit : 0;
            }

            bytes.putLong(bits);
        }
    }

    private RankSet set(final ByteBuffer bytes)
    {
        RankSet ranks = RankSet.NONE;
        for (int word = 0; word < setWords; word++)
        {
            final long bits = bytes.getLong();
            for (int bit = 0; bit < Long.SIZE && word * Long.SIZE + bit < size; bit++)
            {
                ranks = 0 == (bits >>> bit & 1) ? ranks : ranks.with(word * Long.SIZE + bit);
            }
        }

        return ranks;
    }
}
