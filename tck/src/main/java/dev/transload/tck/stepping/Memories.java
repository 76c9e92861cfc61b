/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.tck.stepping;

import dev.transload.spi.MemoryKind;
import java.util.Map;
import java.util.TreeMap;

/** All opaque memory of a fabric, found again by its made-up addresses. */
final class Memories
{
    private static final long FIRST_TOKEN = 0x7E00_0000_0000L;
    private static final long TOKEN_GAP = 1L << 31;

    private final TreeMap<Long, Memory> byAddress = new TreeMap<>();
    private long nextToken = FIRST_TOKEN;

    Memory allocate(final MemoryKind kind, final int device, final int length)
    {
        if (kind.isHost())
        {
            return Memory.allocateHost(length);
        }

        final Memory memory = Memory.allocateOpaque(kind, device, nextToken, length);
        byAddress.put(nextToken, memory);
        nextToken += TOKEN_GAP;
        return memory;
    }

    /** Memory that holds the range; {@code address - memory.address()} is where it begins. */
    Memory find(final MemoryKind kind, final int device, final long address, final int length)
    {
        if (kind.isHost())
        {
            return Memory.overHost(address, length);
        }

        final Map.Entry<Long, Memory> floor = byAddress.floorEntry(address);
        final Memory memory = null == floor ? null : floor.getValue();
        if (null == memory || !memory.kind().equals(kind) || memory.device() != device ||
            address - memory.address() > memory.length() - (long)length)
        {
            throw new IllegalArgumentException("address 0x" + Long.toHexString(address) + " with length " + length +
                " is not memory of " + kind + " device " + device);
        }

        return memory;
    }

    void leakOne(final Chance chance)
    {
        if (!byAddress.isEmpty())
        {
            final Map.Entry<Long, Memory> entry =
                byAddress.floorEntry(FIRST_TOKEN + chance.below(byAddress.size()) * TOKEN_GAP);
            entry.getValue().leakOne(chance);
        }
    }
}
