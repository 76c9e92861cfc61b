/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.aeron;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Wire layout of the control streams, little endian. Every message begins with magic and version i32, type i32, the
 * sender's transport id i64 and the receiver's token i64; each fits into one frame.
 * <pre>
 * HELLO      channel i32, worker i32, rank meant i32, incarnation meant i64, data path i32, identity of the sender
 * ACCEPT     channel i32
 * REFUSE     channel i32, reason as UTF-8 to the end
 * HEARTBEAT  nothing
 * GOODBYE    nothing: the sender closes
 * FAREWELL   nothing: a goodbye has been heard
 * </pre>
 */
final class ControlProtocol
{
    static final int HELLO = 1;
    static final int ACCEPT = 2;
    static final int REFUSE = 3;
    static final int HEARTBEAT = 4;
    static final int GOODBYE = 5;
    static final int FAREWELL = 6;

    /** MTU and term of the control streams; an MTU's payload bounds a message. */
    static final int MTU = 1408;
    static final int TERM_LENGTH = 64 << 10;
    static final int MAX_LENGTH = MTU - 32;

    static final int TYPE_OFFSET = 4;
    static final int SENDER_OFFSET = 8;
    static final int TOKEN_OFFSET = 16;
    static final int BODY_OFFSET = 24;

    static final int HELLO_CHANNEL_OFFSET = BODY_OFFSET;
    static final int HELLO_WORKER_OFFSET = BODY_OFFSET + 4;
    static final int HELLO_RANK_OFFSET = BODY_OFFSET + 8;
    static final int HELLO_INCARNATION_OFFSET = BODY_OFFSET + 12;
    static final int HELLO_PATH_OFFSET = BODY_OFFSET + 20;
    static final int HELLO_IDENTITY_OFFSET = BODY_OFFSET + 24;

    private static final int MAGIC_AND_VERSION = 0x434c5401;
    private static final int MAX_REASON = 600;

    private ControlProtocol()
    {
    }

    static DirectBuffer plain(final int type, final PeerIdentity from, final PeerIdentity to)
    {
        return finish(begin(type, from, to));
    }

    static DirectBuffer hello(
        final int channel,
        final int worker,
        final long incarnation,
        final DataPath path,
        final PeerIdentity from,
        final PeerIdentity to)
    {
        final ByteBuffer message = begin(HELLO, from, to);
        message.putInt(channel).putInt(worker).putInt(to.rank()).putLong(incarnation).putInt(path.ordinal());
        from.encode(message);
        return finish(message);
    }

    static DirectBuffer accept(final int channel, final PeerIdentity from, final PeerIdentity to)
    {
        return finish(begin(ACCEPT, from, to).putInt(channel));
    }

    static DirectBuffer refuse(
        final int channel, final String reason, final PeerIdentity from, final PeerIdentity to)
    {
        final byte[] text = reason.getBytes(StandardCharsets.UTF_8);
        return finish(begin(REFUSE, from, to).putInt(channel).put(text, 0, Math.min(text.length, MAX_REASON)));
    }

    static boolean isValid(final DirectBuffer buffer, final int offset, final int length)
    {
        return length >= BODY_OFFSET && MAGIC_AND_VERSION == buffer.getInt(offset, ByteOrder.LITTLE_ENDIAN);
    }

    static int type(final DirectBuffer buffer, final int offset)
    {
        return buffer.getInt(offset + TYPE_OFFSET, ByteOrder.LITTLE_ENDIAN);
    }

    static long sender(final DirectBuffer buffer, final int offset)
    {
        return buffer.getLong(offset + SENDER_OFFSET, ByteOrder.LITTLE_ENDIAN);
    }

    static long token(final DirectBuffer buffer, final int offset)
    {
        return buffer.getLong(offset + TOKEN_OFFSET, ByteOrder.LITTLE_ENDIAN);
    }

    static int channel(final DirectBuffer buffer, final int offset)
    {
        return buffer.getInt(offset + BODY_OFFSET, ByteOrder.LITTLE_ENDIAN);
    }

    static String reason(final DirectBuffer buffer, final int offset, final int length)
    {
        return text(buffer, offset + BODY_OFFSET + Integer.BYTES, length - BODY_OFFSET - Integer.BYTES);
    }

    static boolean isHelloForMessages(final DirectBuffer buffer, final int offset)
    {
        return DataPath.MESSAGES.ordinal() == buffer.getInt(offset + HELLO_PATH_OFFSET, ByteOrder.LITTLE_ENDIAN);
    }

    static PeerIdentity helloIdentity(final DirectBuffer buffer, final int offset, final int length)
    {
        final byte[] bytes = new byte[length - HELLO_IDENTITY_OFFSET];
        buffer.getBytes(offset + HELLO_IDENTITY_OFFSET, bytes);
        return PeerIdentity.decode("hello", ByteBuffer.wrap(bytes));
    }

    /**
     * Whether a hello is meant for us.
     *
     * @param buffer  of the hello.
     * @param offset  of the hello.
     * @param own     identity.
     * @param workers that are open.
     * @return null, or a clause that says why not.
     */
    static String refusal(
        final DirectBuffer buffer,
        final int offset,
        final PeerIdentity own,
        final PeerLinks.OpenWorkers workers)
    {
        final int worker = buffer.getInt(offset + HELLO_WORKER_OFFSET, ByteOrder.LITTLE_ENDIAN);
        final int rank = buffer.getInt(offset + HELLO_RANK_OFFSET, ByteOrder.LITTLE_ENDIAN);
        final long incarnation = buffer.getLong(offset + HELLO_INCARNATION_OFFSET, ByteOrder.LITTLE_ENDIAN);
        if (token(buffer, offset) != own.token() || rank != own.rank() || incarnation != own.incarnation())
        {
            return "rank " + rank + ", incarnation " + incarnation + " was meant, here is rank " + own.rank() +
                ", incarnation " + own.incarnation() + " with an address of its own";
        }

        return workers.isOpen(worker) ? null : "its worker " + worker + " is not open";
    }

    static String text(final DirectBuffer buffer, final int offset, final int length)
    {
        final byte[] bytes = new byte[Math.max(0, length)];
        buffer.getBytes(offset, bytes);
        return new String(bytes, StandardCharsets.UTF_8);
    }

    private static ByteBuffer begin(final int type, final PeerIdentity from, final PeerIdentity to)
    {
        final ByteBuffer message = ByteBuffer.allocate(MAX_LENGTH).order(ByteOrder.LITTLE_ENDIAN);
        return message.putInt(MAGIC_AND_VERSION).putInt(type).putLong(from.transportId()).putLong(to.token());
    }

    private static DirectBuffer finish(final ByteBuffer message)
    {
        final byte[] bytes = new byte[message.position()];
        message.flip().get(bytes);
        return new UnsafeBuffer(bytes);
    }
}
