/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.ucx;

import dev.transload.transport.base.Import;
import dev.transload.transport.base.OwnMemory;
import dev.transload.transport.base.RegionDescriptor;
import java.util.Arrays;
import org.openucx.jucx.ucp.UcpRemoteKey;

/**
 * Memory of a peer, as one worker addresses it: by a pointer where this process can map it, else by a remote key for
 * each channel. Keys and pointer are made when a channel first needs them and end with that channel at the latest,
 * since UCX wants keys closed before the endpoint that unpacked them.
 */
abstract class RemoteMemory extends Import
{
    private final UcxWorker worker;
    private final MemoryKey key;
    private final long ownAddress;
    private UcpRemoteKey[] keys = new UcpRemoteKey[0];
    private long[] keyHandles = new long[0];
    private long pointer;
    private int pointerSlot;
    private boolean isPointerRefused;

    RemoteMemory(final UcxWorker worker, final RegionDescriptor descriptor, final OwnMemory own, final boolean isDirect)
    {
        super(worker, descriptor, own, 0);
        this.worker = worker;
        this.key = MemoryKey.decode(descriptor.key());
        this.ownAddress = null == own || !isDirect ? 0 : own.address();
        this.pointer = ownAddress;
    }

    MemoryKey key()
    {
        return key;
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

    void refusePointer()
    {
        isPointerRefused = true;
    }

    /** A channel has a key; it is closed with the channel, or with this import. */
    void onKey(final int slot, final UcpRemoteKey unpacked)
    {
        if (slot >= keys.length)
        {
            final int length = Math.max(slot + 1, 2 * keys.length);
            keys = Arrays.copyOf(keys, length);
            keyHandles = Arrays.copyOf(keyHandles, length);
        }

        keys[slot] = unpacked;
        keyHandles[slot] = unpacked.getNativeId();
    }

    /** The key of a channel has brought a pointer, which is good as long as that key. */
    void onPointer(final int slot, final long address)
    {
        pointer = address;
        pointerSlot = slot;
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
            pointer = ownAddress;
        }

        keys[slot].close();
        keys[slot] = null;
        keyHandles[slot] = 0;
    }

    @Override
    protected void onRelease()
    {
        for (int slot = 0; slot < keys.length; slot++)
        {
            forget(slot);
        }

        worker.forgetMemory(this);
    }
}
