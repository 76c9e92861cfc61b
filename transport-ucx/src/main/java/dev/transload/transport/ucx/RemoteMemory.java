/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.ucx;

import dev.transload.transport.base.Import;
import dev.transload.transport.base.OwnMemory;
import dev.transload.transport.base.ProcessIdentity;
import dev.transload.transport.base.RegionDescriptor;
import dev.transload.transport.ucx.internal.ucp.UcpCalls;
import java.util.Arrays;
import org.agrona.UnsafeApi;
import org.openucx.jucx.ucp.UcpRemoteKey;

/**
 * Memory of a peer, as one worker addresses it: by a pointer where this process can map it, else by a remote key for
 * each channel. Keys and pointer are made when a channel first needs them and end with that channel at the latest,
 * since UCX wants keys closed before the endpoint that unpacked them; what a window was asked of is mapped apart from
 * channels, as long as the import.
 */
abstract class RemoteMemory extends Import
{
    private static final int PAGE_LENGTH = 4096;
    private static final ProcessIdentity OWN_PROCESS = ProcessIdentity.local();

    private final UcxWorker worker;
    private final MemoryKey key;
    private UcpRemoteKey[] keys = new UcpRemoteKey[0];
    private long[] keyHandles = new long[0];
    private MemoryMapper.Mapping mapping;
    private long lastingPointer;
    private long pointer;
    private int pointerSlot;
    private boolean isPointerRefused;

    RemoteMemory(final UcxWorker worker, final RegionDescriptor descriptor, final OwnMemory own, final boolean isDirect)
    {
        super(worker, descriptor, own, 0);
        this.worker = worker;
        this.key = MemoryKey.decode(descriptor.key());
        this.isPointerRefused = UcxMemory.HOST != key.type();
        this.lastingPointer = null == own || !isDirect || isPointerRefused ? 0 : own.address();
        this.pointer = lastingPointer;
    }

    /** How many channels add to one signal, 0 for regions. */
    int writers()
    {
        return descriptor().writers();
    }

    /** Address of the first byte in this process, or 0 while none is known. */
    long pointer()
    {
        return pointer;
    }

    /** Address of the first byte in this process until this is closed, or 0 where there is none. */
    final long lastingPointer()
    {
        if (0 == lastingPointer && UcxMemory.HOST == key.type())
        {
            mapping = isOwnerGone() ? null : worker.mapper().map(key);
            lastingPointer = null == mapping ? 0 : mapping.pointer();
            pointer = 0 == pointer ? lastingPointer : pointer;
            touch(lastingPointer);
        }

        return lastingPointer;
    }

    /** Of UCX at the owner. */
    final int setup()
    {
        return key.setup();
    }

    /** Whether UCX of the owner carries out adds. */
    final boolean takesAdds()
    {
        return 0 != (key.setup() & UcxContext.TAKES_ADDS);
    }

    /** Address of the first byte at the owner, which UCX wants together with a key. */
    long remoteAddress()
    {
        return key.address();
    }

    /** Key of a channel ({@code ucp_rkey_h}), or 0 while it has none. */
    long keyHandle(final int slot)
    {
        return slot < keyHandles.length ? keyHandles[slot] : 0;
    }

    /** Whether it is worth asking for a pointer. */
    boolean mayHavePointer()
    {
        return 0 == pointer && !isPointerRefused;
    }

    /**
     * Whether the process that the memory belongs to is known to have ended. UCX 1.13 may crash on a key of memory
     * whose process is gone, instead of refusing it: asked before each is unpacked.
     */
    final boolean isOwnerGone()
    {
        final ProcessIdentity process = owner().process();
        return OWN_PROCESS.canSee(process) && process.isGone();
    }

    /**
     * Unpack the key for a channel, which has none yet. It is closed with the channel, or with this import.
     *
     * @throws org.openucx.jucx.UcxException when UCX refuses.
     */
    void unpack(final int slot, final Endpoint endpoint)
    {
        if (slot >= keys.length)
        {
            final int length = Math.max(slot + 1, 2 * keys.length);
            keys = Arrays.copyOf(keys, length);
            keyHandles = Arrays.copyOf(keyHandles, length);
        }

        keys[slot] = endpoint.unpack(key);
        keyHandles[slot] = keys[slot].getNativeId();
    }

    /**
     * Ask for a pointer by a channel's key, once; it is good as long as that key.
     *
     * @return 0, or the negative status of UCX with which it was refused.
     */
    int findPointer(final int slot, final UcpCalls calls)
    {
        final long found = calls.remotePointer(keyHandles[slot], key.address());
        if (found <= 0)
        {
            isPointerRefused = true;
            return (int)found;
        }

        pointer = found;
        pointerSlot = slot;
        touch(pointer);
        return UcpCalls.OK;
    }

    /** A channel ends: its key goes, and the pointer if it came with that. */
    void forget(final int slot)
    {
        if (0 == keyHandle(slot))
        {
            return;
        }

        if (slot == pointerSlot)
        {
            pointer = lastingPointer;
        }

        keys[slot].close();
        keys[slot] = null;
        keyHandles[slot] = 0;
    }

    @Override
    protected void onRelease()
    {
        pointer = 0;
        lastingPointer = 0;
        if (null != mapping)
        {
            mapping.close();
        }

        for (int slot = 0; slot < keys.length; slot++)
        {
            if (0 != keyHandles[slot])
            {
                worker.closeKey(slot, keys[slot]);
                keys[slot] = null;
                keyHandles[slot] = 0;
            }
        }

        worker.forgetMemory(this);
    }

    /** Pages are mapped when they are first touched: better now than by the first rows. */
    private void touch(final long from)
    {
        final long length = 0 == from ? 0 : descriptor().memoryLength();
        for (long offset = 0; offset < length; offset += PAGE_LENGTH)
        {
            UnsafeApi.getByteVolatile(null, from + offset);
        }
    }
}
