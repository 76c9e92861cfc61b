/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.tck.processes;

import dev.transload.spi.Access;
import dev.transload.spi.Channel;
import dev.transload.spi.MemoryKind;
import dev.transload.spi.MemoryRegion;
import dev.transload.spi.RemoteRegion;
import dev.transload.spi.RemoteSignals;
import dev.transload.spi.RowList;
import dev.transload.spi.SignalRegion;
import dev.transload.spi.Transport;
import dev.transload.spi.TransportProvider;
import dev.transload.spi.Worker;
import dev.transload.tck.DeviceChecks;
import java.io.DataInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

/**
 * Everything that a rank's process can be asked, one for each method of the SPI, and how it is done there.
 * <p>
 * On the wire: i32 length of what follows, i8 ordinal, i32 handle of the object whose method it is, and the method's
 * arguments in order; objects travel as i32 handles, byte buffers as an i32 length and the bytes.
 */
enum Request
{
    /** Close all transports and forget all handles. */
    RESET((objects, target, in) ->
    {
        objects.clear();
        return Answer.nothing();
    }),

    /** Class of a provider, configuration; answers the handle of the transport. */
    OPEN((objects, target, in) ->
    {
        final TransportProvider provider =
            (TransportProvider)Class.forName(in.readUTF()).getConstructor().newInstance();
        return Answer.of(objects.add(provider.open(Wire.config(in))));
    }),

    /** Class of checks of devices; answers the handle of an instance. */
    OPEN_CHECKS((objects, target, in) ->
        Answer.of(objects.add(Class.forName(in.readUTF()).getConstructor().newInstance()))),

    /** Of checks of devices: question; answers the answer. */
    QUESTION((objects, target, in) -> Answer.of(
        objects.get(target, DeviceChecks.class).answer(in.readUTF()).getBytes(StandardCharsets.UTF_8))),

    /** Close any object. */
    CLOSE((objects, target, in) ->
    {
        objects.get(target, AutoCloseable.class).close();
        return Answer.nothing();
    }),

    /** Of a transport. */
    CAPABILITIES((objects, target, in) -> Answer.of(Wire.bytes(transport(objects, target).capabilities()))),

    /** Of a transport. */
    PEER_INFO((objects, target, in) -> Answer.of(transport(objects, target).peerInfo())),

    /** Of a transport. */
    CAN_REACH((objects, target, in) ->
        Answer.of(Wire.bytes(transport(objects, target).canReach(in.readInt(), Wire.buffer(in))))),

    /** Of a transport; kind and access by their names. */
    ALLOCATE((objects, target, in) -> Answer.of(objects.add(transport(objects, target).allocate(
        new MemoryKind(in.readUTF()), in.readInt(), in.readLong(), Access.valueOf(in.readUTF()))))),

    /** Of a transport. */
    ALLOCATE_SIGNALS((objects, target, in) ->
        Answer.of(objects.add(transport(objects, target).allocateSignals(in.readInt(), in.readInt())))),

    /** Of a transport. */
    ALLOCATE_ROWS((objects, target, in) ->
        Answer.of(objects.add(transport(objects, target).allocateRows(in.readInt())))),

    /** Of a list of rows. */
    CAPACITY((objects, target, in) -> Answer.of(objects.get(target, RowList.class).capacity())),

    /** Of a transport. */
    OPEN_WORKER((objects, target, in) ->
        Answer.of(objects.add(transport(objects, target).openWorker(in.readInt())))),

    /** Of a worker. */
    ADDRESS((objects, target, in) -> Answer.of(worker(objects, target).address())),

    /** Of a worker. */
    CONNECT((objects, target, in) ->
        Answer.of(objects.add(worker(objects, target).connect(in.readInt(), in.readLong(), Wire.buffer(in))))),

    /** Of a worker. */
    IMPORT_REGION((objects, target, in) ->
        Answer.of(objects.add(worker(objects, target).importRegion(in.readInt(), Wire.buffer(in))))),

    /** Of a worker. */
    IMPORT_SIGNALS((objects, target, in) ->
        Answer.of(objects.add(worker(objects, target).importSignals(in.readInt(), Wire.buffer(in))))),

    /** Of a worker. */
    PROGRESS((objects, target, in) -> Answer.of(worker(objects, target).progress())),

    /** Of a worker. */
    ACQUIRE((objects, target, in) ->
    {
        worker(objects, target).acquire(region(objects, in.readInt()));
        return Answer.nothing();
    }),

    /** Of a region; answers the name of the kind. */
    KIND((objects, target, in) -> Answer.of(region(objects, target).kind().name().getBytes(StandardCharsets.US_ASCII))),

    /** Of a region. */
    DEVICE((objects, target, in) -> Answer.of(region(objects, target).device())),

    /** Of a region; answers the ordinal. */
    ACCESS((objects, target, in) -> Answer.of(region(objects, target).access().ordinal())),

    /** Of a region. */
    LENGTH((objects, target, in) -> Answer.of(region(objects, target).length())),

    /** Of a region. */
    REGION_ADDRESS((objects, target, in) -> Answer.of(region(objects, target).address())),

    /** Of a region. */
    DESCRIPTOR((objects, target, in) -> Answer.of(region(objects, target).descriptor())),

    /** Of a region: offset, length. */
    READ((objects, target, in) ->
    {
        final long offset = in.readLong();
        final byte[] bytes = new byte[in.readInt()];
        region(objects, target).hostView(offset, bytes.length).get(bytes);
        return Answer.of(bytes);
    }),

    /** Of a region: offset, bytes. */
    WRITE((objects, target, in) ->
    {
        final long offset = in.readLong();
        final byte[] bytes = Answer.readBytes(in);
        region(objects, target).hostView(offset, bytes.length).put(bytes);
        return Answer.nothing();
    }),

    /** Of a region: offset. */
    READ_WORD((objects, target, in) ->
        Answer.of(region(objects, target).hostView(in.readLong(), Long.BYTES).getLong(0))),

    /** Of a region: offset, value. */
    WRITE_WORD((objects, target, in) ->
    {
        region(objects, target).hostView(in.readLong(), Long.BYTES).putLong(0, in.readLong());
        return Answer.nothing();
    }),

    /** Of signals. */
    COUNT((objects, target, in) -> Answer.of(signals(objects, target).count())),

    /** Of signals. */
    GET_ACQUIRE((objects, target, in) -> Answer.of(signals(objects, target).getAcquire(in.readInt()))),

    /** Of signals. */
    SIGNALS_DESCRIPTOR((objects, target, in) -> Answer.of(signals(objects, target).descriptor())),

    /** Of an imported region. */
    REMOTE_PEER((objects, target, in) -> Answer.of(remote(objects, target).peer())),

    /** Of an imported region. */
    REMOTE_LENGTH((objects, target, in) -> Answer.of(remote(objects, target).length())),

    /** Of an imported region; answers the handle of the window, or -1 where there is none. */
    REMOTE_WINDOW((objects, target, in) ->
    {
        final MemoryRegion window = remote(objects, target).window();
        return Answer.of(null == window ? -1 : objects.add(window));
    }),

    /** Of imported signals. */
    REMOTE_SIGNALS_PEER((objects, target, in) -> Answer.of(remoteSignals(objects, target).peer())),

    /** Of imported signals. */
    REMOTE_SIGNALS_COUNT((objects, target, in) -> Answer.of(remoteSignals(objects, target).count())),

    /** Of a channel. */
    PEER((objects, target, in) -> Answer.of(channel(objects, target).peer())),

    /** Of a channel. */
    IS_CONNECTED((objects, target, in) -> Answer.of(channel(objects, target).isConnected())),

    /** Of a channel. */
    PUT((objects, target, in) -> Answer.of(channel(objects, target).put(
        region(objects, in.readInt()), in.readLong(), remote(objects, in.readInt()), in.readLong(), in.readLong()))),

    /** Of a channel: source, target, list, from, count, then row length, first entry sent, how many, the entries. */
    PUT_ROWS((objects, target, in) ->
    {
        final MemoryRegion src = region(objects, in.readInt());
        final RemoteRegion dst = remote(objects, in.readInt());
        final RowList rows = objects.get(in.readInt(), RowList.class);
        final int from = in.readInt();
        final int count = in.readInt();
        readEntries(in, rows);
        return Answer.of(channel(objects, target).putRows(src, dst, rows, from, count));
    }),

    /** Of a channel. */
    LOAD((objects, target, in) -> Answer.of(channel(objects, target).load(
        remote(objects, in.readInt()), in.readLong(), region(objects, in.readInt()), in.readLong(), in.readLong()))),

    /** Of a channel, to a signal. */
    ADD_TO_SIGNAL((objects, target, in) -> Answer.of(channel(objects, target).atomicAdd(
        remoteSignals(objects, in.readInt()), in.readInt(), in.readLong()))),

    /** Of a channel. */
    SIGNAL((objects, target, in) -> Answer.of(channel(objects, target).signal(
        remoteSignals(objects, in.readInt()), in.readInt(), in.readLong()))),

    /** Of a channel, to a word of a region. */
    ADD_TO_WORD((objects, target, in) -> Answer.of(channel(objects, target).atomicAdd(
        remote(objects, in.readInt()), in.readLong(), in.readLong()))),

    /** Of a channel. */
    FENCE((objects, target, in) -> Answer.of(channel(objects, target).fence())),

    /** Of a channel. */
    FLUSH((objects, target, in) -> Answer.of(channel(objects, target).flush())),

    /** Of a channel. */
    POSITION((objects, target, in) -> Answer.of(channel(objects, target).position())),

    /** Of a channel. */
    RELEASED_POSITION((objects, target, in) -> Answer.of(channel(objects, target).releasedPosition())),

    /** Of a channel. */
    DELIVERED_POSITION((objects, target, in) -> Answer.of(channel(objects, target).deliveredPosition())),

    /** Of a channel; answers the serialized exception, or no bytes while there is none. */
    FAILURE((objects, target, in) ->
    {
        final Throwable failure = channel(objects, target).failure();
        return null == failure ? Answer.nothing() : Answer.of(Thrown.toBytes(failure));
    });

    private static final Request[] ALL = values();

    private final Execution execution;

    Request(final Execution execution)
    {
        this.execution = execution;
    }

    static Request of(final int ordinal)
    {
        return ALL[ordinal];
    }

    Answer execute(final RankObjects objects, final int target, final DataInputStream in) throws Exception
    {
        return execution.execute(objects, target, in);
    }

    /** How it is done, in the rank's process. */
    @FunctionalInterface
    private interface Execution
    {
        Answer execute(RankObjects objects, int target, DataInputStream in) throws Exception;
    }

    private static Transport transport(final RankObjects objects, final int handle)
    {
        return objects.get(handle, Transport.class);
    }

    private static Worker worker(final RankObjects objects, final int handle)
    {
        return objects.get(handle, Worker.class);
    }

    private static MemoryRegion region(final RankObjects objects, final int handle)
    {
        return objects.get(handle, MemoryRegion.class);
    }

    private static SignalRegion signals(final RankObjects objects, final int handle)
    {
        return objects.get(handle, SignalRegion.class);
    }

    private static RemoteRegion remote(final RankObjects objects, final int handle)
    {
        return objects.get(handle, RemoteRegion.class);
    }

    private static RemoteSignals remoteSignals(final RankObjects objects, final int handle)
    {
        return objects.get(handle, RemoteSignals.class);
    }

    private static Channel channel(final RankObjects objects, final int handle)
    {
        return objects.get(handle, Channel.class);
    }

    private static void readEntries(final DataInputStream in, final RowList rows) throws IOException
    {
        rows.rowLength(in.readInt());
        final int first = in.readInt();
        final int count = in.readInt();
        for (int i = first; i < first + count; i++)
        {
            rows.set(i, in.readLong(), in.readLong());
        }
    }
}
