/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.aeron;

/**
 * The rest of an accepted put for which the stream had no room: its source stays unreleased until all is sent.
 */
final class PendingPut
{
    private LocalRegion source;
    private long srcAddress;
    private int region;
    private long dstOffset;
    private long remaining;

    void begin(
        final LocalRegion from, final long fromAddress, final int toRegion, final long toOffset, final long length)
    {
        source = from;
        srcAddress = fromAddress;
        region = toRegion;
        dstOffset = toOffset;
        remaining = length;
    }

    boolean isEmpty()
    {
        return 0 == remaining;
    }

    boolean isSourceOpen()
    {
        return source.isOpen();
    }

    long srcAddress()
    {
        return srcAddress;
    }

    int region()
    {
        return region;
    }

    long dstOffset()
    {
        return dstOffset;
    }

    long remaining()
    {
        return remaining;
    }

    void advance(final long bytes)
    {
        srcAddress += bytes;
        dstOffset += bytes;
        remaining -= bytes;
    }

    void clear()
    {
        remaining = 0;
        source = null;
    }
}
