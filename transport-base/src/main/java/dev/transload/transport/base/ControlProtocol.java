/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.base;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Wire layout of control messages, little endian. Every message begins with magic and version i32, type i32, the
 * sender's transport id i64 and the receiver's token i64.
 * <pre>
 * HELLO      channel i32, worker i32, rank meant i32, incarnation meant i64, service i32, identity of the sender
 * ACCEPT     channel i32, bytes of the acceptor to the end
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

    static final int TYPE_OFFSET = 4;
    static final int SENDER_OFFSET = 8;
    static final int TOKEN_OFFSET = 16;
    static final int BODY_OFFSET = 24;

    static final int EXTRA_OFFSET = BODY_OFFSET + 4;

    static final int HELLO_WORKER_OFFSET = BODY_OFFSET + 4;
    static final int HELLO_RANK_OFFSET = BODY_OFFSET + 8;
    static final int HELLO_INCARNATION_OFFSET = BODY_OFFSET + 12;
    static final int HELLO_SERVICE_OFFSET = BODY_OFFSET + 20;
    static final int HELLO_IDENTITY_OFFSET = BODY_OFFSET + 24;

    private static final int MAGIC_AND_VERSION = 0x434c5402;
    private static final int MAX_REASON = 600;

    private ControlProtocol()
    {
    }

    static DirectBuffer plain(final int type, final PeerIdentity from, final PeerIdentity to)
    {
        return finish(begin(BODY_OFFSET, type, from, to));
    }

    static DirectBuffer hello(
        final int channel,
        final int worker,
        final long incarnation,
        final int service,
        final PeerIdentity from,
        final PeerIdentity to)
    {
        final ByteBuffer identity = from.encode();
        final ByteBuffer message = begin(HELLO_IDENTITY_OFFSET + identity.remaining(), HELLO, from, to);
        message.putInt(channel).putInt(worker).putInt(to.rank()).putLong(incarnation).putInt(service);
        return finish(message.put(identity));
    }

    static DirectBuffer accept(
        final int channel, final ByteBuffer extra, final PeerIdentity from, final PeerIdentity to)
    {
        return finish(begin(EXTRA_OFFSET + extra.remaining(), ACCEPT, from, to).putInt(channel)
            .put(extra.duplicate()));
    }

    static DirectBuffer refuse(
        final int channel, final String reason, final PeerIdentity from, final PeerIdentity to)
    {
        final byte[] text = reason.getBytes(StandardCharsets.UTF_8);
        final int length = Math.min(text.length, MAX_REASON);
        return finish(begin(EXTRA_OFFSET + length, REFUSE, from, to).putInt(channel).put(text, 0, length));
    }

    /** Whether it is long enough for what is read of its type, too. */
    static boolean isValid(final DirectBuffer buffer, final int offset, final int length)
    {
        return length >= BODY_OFFSET && MAGIC_AND_VERSION == buffer.getInt(offset, ByteOrder.LITTLE_ENDIAN) &&
            length >= minLength(type(buffer, offset));
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

    static int worker(final DirectBuffer buffer, final int offset)
    {
        return buffer.getInt(offset + HELLO_WORKER_OFFSET, ByteOrder.LITTLE_ENDIAN);
    }

    static int service(final DirectBuffer buffer, final int offset)
    {
        return buffer.getInt(offset + HELLO_SERVICE_OFFSET, ByteOrder.LITTLE_ENDIAN);
    }

    /** A copy: the message's memory is used again. */
    static ByteBuffer extra(final DirectBuffer buffer, final int offset, final int length)
    {
        return ByteBuffer.wrap(bytes(buffer, offset, length, EXTRA_OFFSET)).asReadOnlyBuffer();
    }

    static String reason(final DirectBuffer buffer, final int offset, final int length)
    {
        return new String(bytes(buffer, offset, length, EXTRA_OFFSET), StandardCharsets.UTF_8);
    }

    static PeerIdentity helloIdentity(
        final String transport, final DirectBuffer buffer, final int offset, final int length)
    {
        return PeerIdentity.decode(transport, "hello",
            ByteBuffer.wrap(bytes(buffer, offset, length, HELLO_IDENTITY_OFFSET)));
    }

    /**
     * Whether a hello is meant for us.
     *
     * @param buffer buffer of the hello.
     * @param offset offset of the hello.
     * @param own    identity.
     * @param hooks  that know which workers are open.
     * @return null, or a clause that says why not.
     */
    static String refusal(
        final DirectBuffer buffer, final int offset, final PeerIdentity own, final ControlHooks hooks)
    {
        final int rank = buffer.getInt(offset + HELLO_RANK_OFFSET, ByteOrder.LITTLE_ENDIAN);
        final long incarnation = buffer.getLong(offset + HELLO_INCARNATION_OFFSET, ByteOrder.LITTLE_ENDIAN);
        if (token(buffer, offset) != own.token() || rank != own.rank() || incarnation != own.incarnation())
        {
            return "rank " + rank + ", incarnation " + incarnation + " was meant, here is rank " + own.rank() +
                ", incarnation " + own.incarnation() + " with an address of its own";
        }

        final int worker = worker(buffer, offset);
        return hooks.isOpen(worker) ? null : "its worker " + worker + " is not open";
    }

    private static int minLength(final int type)
    {
        return switch (type)
        {
            case HELLO -> HELLO_IDENTITY_OFFSET;
            case ACCEPT, REFUSE -> EXTRA_OFFSET;
            default -> BODY_OFFSET;
        };
    }

    private static byte[] bytes(final DirectBuffer buffer, final int offset, final int length, final int from)
    {
        final byte[] bytes = new byte[length - from];
        buffer.getBytes(offset + from, bytes);
        return bytes;
    }

    private static ByteBuffer begin(final int length, final int type, final PeerIdentity from, final PeerIdentity to)
    {
        // Direct, since native media send from where it lies.
        final ByteBuffer message = ByteBuffer.allocateDirect(length).order(ByteOrder.LITTLE_ENDIAN);
        return message.putInt(MAGIC_AND_VERSION).putInt(type).putLong(from.transportId()).putLong(to.token());
    }

    private static DirectBuffer finish(final ByteBuffer message)
    {
        return new UnsafeBuffer(message.flip());
    }
}
