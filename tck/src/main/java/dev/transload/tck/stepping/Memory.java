/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.tck.stepping;

import dev.transload.spi.MemoryKind;
import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import org.agrona.BufferUtil;
import org.agrona.UnsafeApi;

/**
 * Bytes of one allocation. Opaque memory has two faces: what the wire wrote, and what local work sees of it, which
 * lags behind until it is acquired (rule ORD-3). Host memory has one.
 */
final class Memory
{
    private static final int ALIGNMENT = 64;
    private static final long CAPACITY_FIELD_OFFSET = UnsafeApi.objectFieldOffset(Buffer.class, "capacity");
    private static final long NEVER = Long.MAX_VALUE;

    private final MemoryKind kind;
    private final int device;
    private final long address;
    private final ByteBuffer wire;
    private final ByteBuffer local;
    private final List<Written> written = new ArrayList<>();

    /** A range that the wire wrote and local work does not see yet. */
    private static final class Written
    {
        private final SteppingNetwork network;
        private final int from;
        private final int length;
        private long acquiredAt = NEVER;

        Written(final SteppingNetwork network, final int from, final int length)
        {
            this.network = network;
            this.from = from;
            this.length = length;
        }
    }

    private Memory(
        final MemoryKind kind, final int device, final long address, final ByteBuffer wire, final ByteBuffer local)
    {
        this.kind = kind;
        this.device = device;
        this.address = address;
        this.wire = wire.order(ByteOrder.nativeOrder());
        this.local = local.order(ByteOrder.nativeOrder());
    }

    static Memory allocateHost(final int length)
    {
        final ByteBuffer bytes = BufferUtil.allocateDirectAligned(length, ALIGNMENT);
        return new Memory(MemoryKind.HOST, 0, BufferUtil.address(bytes), bytes, bytes);
    }

    static Memory overHost(final long address, final int length)
    {
        // The JDK gives no public way to a buffer over a foreign address before version 22.
        final ByteBuffer bytes = ByteBuffer.allocateDirect(1).duplicate();
        UnsafeApi.putLong(bytes, BufferUtil.BYTE_BUFFER_ADDRESS_FIELD_OFFSET, address);
        UnsafeApi.putInt(bytes, CAPACITY_FIELD_OFFSET, length);
        bytes.limit(length);
        return new Memory(MemoryKind.HOST, 0, address, bytes, bytes);
    }

    static Memory allocateOpaque(final MemoryKind kind, final int device, final long token, final int length)
    {
        return new Memory(kind, device, token, ByteBuffer.allocate(length), ByteBuffer.allocate(length));
    }

    MemoryKind kind()
    {
        return kind;
    }

    int device()
    {
        return device;
    }

    long address()
    {
        return address;
    }

    int length()
    {
        return wire.capacity();
    }

    ByteBuffer hostView(final int offset, final int length)
    {
        return wire.slice(offset, length).order(ByteOrder.nativeOrder());
    }

    void readLocal(final int offset, final byte[] into, final long submission)
    {
        settle(submission);
        local.get(offset, into, 0, into.length);
    }

    void writeLocal(final int offset, final byte[] from)
    {
        local.put(offset, from, 0, from.length);
        if (wire != local)
        {
            wire.put(offset, from, 0, from.length);
        }
    }

    void readWire(final int offset, final byte[] into)
    {
        wire.get(offset, into, 0, into.length);
    }

    void writeWire(final SteppingNetwork network, final int offset, final byte[] from)
    {
        wire.put(offset, from, 0, from.length);
        if (wire != local && from.length > 0)
        {
            written.add(new Written(network, offset, from.length));
        }
    }

    void addWire(final SteppingNetwork network, final int offset, final long delta)
    {
        wire.putLong(offset, wire.getLong(offset) + delta);
        if (wire != local)
        {
            written.add(new Written(network, offset, Long.BYTES));
        }
    }

    /** Work submitted from now on sees what this network wrote into the range so far. */
    void acquire(final SteppingNetwork network, final int from, final int length, final long submission)
    {
        for (final Written range : written)
        {
            if (range.network == network && NEVER == range.acquiredAt && range.from < from + length &&
                from < range.from + range.length)
            {
                range.acquiredAt = submission;
            }
        }
    }

    /** Lets one not yet acquired range be seen early, as hardware may. */
    boolean leakOne(final Chance random)
    {
        if (written.isEmpty())
        {
            return false;
        }

        show(written.remove(random.below(written.size())));
        return true;
    }

    private void settle(final long submission)
    {
        for (int i = written.size() - 1; i >= 0; i--)
        {
            if (written.get(i).acquiredAt <= submission)
            {
                show(written.remove(i));
            }
        }
    }

    private void show(final Written range)
    {
        local.put(range.from, wire, range.from, range.length);
    }
}
