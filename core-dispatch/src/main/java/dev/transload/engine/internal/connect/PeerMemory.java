/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.connect;

import dev.transload.engine.internal.wire.ClearToSend;
import dev.transload.engine.internal.wire.EncodedWord;
import dev.transload.spi.MemoryRegion;
import dev.transload.spi.RemoteRegion;
import dev.transload.spi.TransportException;
import dev.transload.spi.Worker;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * What one rank of the node lets this thread reach in the call under way, as its message says it. Memory is imported
 * when it is first named, and dropped when its owner closed it, or for want of room when others were named since.
 */
public final class PeerMemory
{
    private static final int IMPORTS = 8;

    private final int peer;
    private final UnsafeBuffer buffer;
    private final long[] ids = new long[IMPORTS];
    private final long[] used = new long[IMPORTS];
    private final RemoteRegion[] imports = new RemoteRegion[IMPORTS];
    private final MemoryRegion[] windows = new MemoryRegion[ClearToSend.TENSORS];
    private final RemoteRegion[] tensors = new RemoteRegion[ClearToSend.TENSORS];
    private final long[] offsets = new long[ClearToSend.TENSORS];
    private long call;
    private int at;

    PeerMemory(final int peer, final ArenaMap map)
    {
        this.peer = peer;
        this.buffer = map.clearToSendIn.buffer();
    }

    /** Number of the call that it is of. */
    long call()
    {
        return call;
    }

    boolean read(
        final int message, final long number, final long tag, final long form, final Worker worker)
    {
        if (tag != ClearToSend.call(buffer, message))
        {
            throw new IllegalStateException("what rank " + peer + " exposes in call " + number +
                " was not written though its signal came: the transport broke their order (rules ORD-2, ORD-8)");
        }

        if (form != ClearToSend.form(buffer, message))
        {
            return false;
        }

        at = message;
        drop(ClearToSend.oldest(buffer, at));
        for (int tensor = 0; tensor < ClearToSend.TENSORS; tensor++)
        {
            final long memory = ClearToSend.memory(buffer, at, tensor);
            offsets[tensor] = ClearToSend.offset(buffer, at, tensor);
            tensors[tensor] = 0 == memory ? null : importOf(memory, number, form, tensor, worker);
            windows[tensor] = null;
        }

        call = number;
        return true;
    }

    private void drop(final long oldest)
    {
        for (int i = 0; i < IMPORTS; i++)
        {
            if (ids[i] > 0 && ids[i] < oldest)
            {
                close(i);
            }
        }
    }

    private RemoteRegion importOf(
        final long memory, final long number, final long form, final int tensor, final Worker worker)
    {
        int place = 0;
        for (int i = 0; i < IMPORTS; i++)
        {
            if (ids[i] == memory)
            {
                used[i] = number;
                return imports[i];
            }

            place = used[i] < used[place] ? i : place;
        }

        close(place);
        imports[place] = worker.importRegion(
            peer, ClearToSend.descriptor(buffer, at, ClearToSend.starts(form), tensor));
        ids[place] = memory;
        used[place] = number;
        return imports[place];
    }

    /** Peers are done with calls before the last one, so nothing is under way to memory not named since then. */
    private void close(final int place)
    {
        if (null != imports[place])
        {
            imports[place].close();
        }

        imports[place] = null;
        ids[place] = 0;
        used[place] = 0;
    }

    /**
     * Whether rows can be reached.
     *
     * @return false if they pass the ring.
     */
    public boolean isOpen()
    {
        return null != tensors[0];
    }

    /**
     * Memory of a tensor.
     *
     * @param tensor 0 for rows, 1 for their scales or weights.
     * @return import, null for none.
     */
    public RemoteRegion memory(final int tensor)
    {
        return tensors[tensor];
    }

    /**
     * Memory of a tensor, to be read in place.
     *
     * @param tensor 0 for rows, 1 for their scales or weights.
     * @throws TransportException if there is none.
     */
    public MemoryRegion window(final int tensor)
    {
        if (null == windows[tensor])
        {
            windows[tensor] = tensors[tensor].window();
        }

        if (null == windows[tensor])
        {
            throw new TransportException("rank " + peer + "'s rows were to be read in place, but the transport that " +
                "has a window to the rank's rings has none to them: set " +
                "transload.placement = ring", TransportException.NO_STATUS, null);
        }

        return windows[tensor];
    }

    /**
     * Place of a tensor in its memory.
     *
     * @param tensor 0 for rows, 1 for their scales or weights.
     * @return bytes.
     */
    public long offset(final int tensor)
    {
        return offsets[tensor];
    }

    /**
     * First row for this rank.
     *
     * @param index of the start, see {@link ClearToSend}.
     */
    public int start(final int index)
    {
        return EncodedWord.get(buffer, at + ClearToSend.start(index));
    }
}
