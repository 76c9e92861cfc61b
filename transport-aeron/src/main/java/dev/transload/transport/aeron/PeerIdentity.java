/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.aeron;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/**
 * One life of one rank's transport, as it travels in peer infos, addresses, descriptors and handshakes.
 * <p>
 * Layout, little endian: magic i32, version i32, rank i32, control stream i32, data stream i32, incarnation i64,
 * transport id i64, token i64, process i64, start of the process i64; then five texts, each its length i16 and UTF-8.
 *
 * @param rank            of the world.
 * @param incarnation     of the rank.
 * @param transportId     random, unique to this life of this transport.
 * @param token           random; who shows it has been given this identity and may connect.
 * @param pid             process in its namespace.
 * @param processStartMs  when the process started, milliseconds since 1970, 0 when unknown.
 * @param host            see {@link HostIdentity}.
 * @param pidNamespace    see {@link HostIdentity}.
 * @param endpoint        address and port of the UDP streams, or {@code ipc:} and the driver's directory.
 * @param controlStream   id of the control stream.
 * @param dataStream      id of the stream of operations, 0 where messages are not accepted.
 * @param regionDirectory holds the memory that peers of the same host map; empty where there is none.
 * @param driverDirectory files of the embedded driver; empty where it is external.
 */
record PeerIdentity(
    int rank,
    long incarnation,
    long transportId,
    long token,
    long pid,
    long processStartMs,
    String host,
    String pidNamespace,
    String endpoint,
    int controlStream,
    int dataStream,
    String regionDirectory,
    String driverDirectory)
{
    static final String IPC_PREFIX = "ipc:";

    private static final int MAGIC = 0x4e4c5254;
    private static final int VERSION = 1;

    boolean isIpc()
    {
        return endpoint.startsWith(IPC_PREFIX);
    }

    /** Channel on which this rank listens. */
    String channel()
    {
        return isIpc() ? "aeron:ipc" : "aeron:udp?endpoint=" + endpoint;
    }

    String describe()
    {
        return "rank " + rank + " (incarnation " + incarnation + ", process " + pid + ", " + endpoint + ")";
    }

    void encode(final ByteBuffer to)
    {
        to.order(ByteOrder.LITTLE_ENDIAN);
        to.putInt(MAGIC).putInt(VERSION).putInt(rank).putInt(controlStream).putInt(dataStream);
        to.putLong(incarnation).putLong(transportId).putLong(token).putLong(pid).putLong(processStartMs);
        putText(to, host);
        putText(to, pidNamespace);
        putText(to, endpoint);
        putText(to, regionDirectory);
        putText(to, driverDirectory);
    }

    /**
     * Read from the position of a buffer, which is advanced.
     *
     * @param what   is read, for the message.
     * @param source encoded identity.
     * @return the identity.
     * @throws IllegalArgumentException when it is none of this version.
     */
    static PeerIdentity decode(final String what, final ByteBuffer source)
    {
        source.order(ByteOrder.LITTLE_ENDIAN);
        try
        {
            if (MAGIC != source.getInt() || VERSION != source.getInt())
            {
                throw new IllegalArgumentException(
                    what + " is not one of transport " + AeronOptions.TRANSPORT + ", version " + VERSION);
            }

            final int rank = source.getInt();
            final int controlStream = source.getInt();
            final int dataStream = source.getInt();
            final long incarnation = source.getLong();
            final long transportId = source.getLong();
            final long token = source.getLong();
            final long pid = source.getLong();
            final long processStartMs = source.getLong();
            return new PeerIdentity(rank, incarnation, transportId, token, pid, processStartMs, text(source),
                text(source), text(source), controlStream, dataStream, text(source), text(source));
        }
        catch (final BufferUnderflowException ex)
        {
            throw new IllegalArgumentException(
                what + " is cut short: it is not one of transport " + AeronOptions.TRANSPORT, ex);
        }
    }

    static ByteBuffer bytes(final ByteBuffer written)
    {
        written.flip();
        return ByteBuffer.allocate(written.remaining()).put(written).flip().asReadOnlyBuffer();
    }

    private static void putText(final ByteBuffer to, final String text)
    {
        final byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        to.putShort((short)bytes.length).put(bytes);
    }

    private static String text(final ByteBuffer source)
    {
        final int length = source.getShort();
        if (length < 0 || length > source.remaining())
        {
            throw new BufferUnderflowException();
        }

        final byte[] bytes = new byte[length];
        source.get(bytes);
        return new String(bytes, StandardCharsets.UTF_8);
    }
}
