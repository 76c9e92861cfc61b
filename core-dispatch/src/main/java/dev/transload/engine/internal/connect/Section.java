/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.connect;

import dev.transload.spi.ConfigurationException;
import org.agrona.concurrent.UnsafeBuffer;

/** A named stretch of an arena: equally sized entries, addressed by index. */
public final class Section
{
    /** Sections begin at multiples of this, in bytes. */
    static final int ALIGNMENT = 128;

    private final Arena arena;
    private final long count;
    private final long stride;
    private final boolean hostView;
    private final UnsafeBuffer buffer = new UnsafeBuffer(0, 0);
    private long base;

    /**
     * Behind an arena's earlier sections.
     *
     * @param stride   distance of entries in bytes.
     * @param hostView whether the JVM looks into it.
     */
    public Section(final Arena arena, final long count, final long stride, final boolean hostView)
    {
        this.arena = arena;
        this.count = count;
        this.stride = stride;
        this.hostView = hostView;
        arena.add(this);
    }

    /** Arena that holds it. */
    public Arena arena()
    {
        return arena;
    }

    /**
     * Offset of an entry in the arena's region, and in every peer's.
     *
     * @return bytes.
     */
    public long offset(final long index)
    {
        return base + index * stride;
    }

    /**
     * Offset of an entry in {@link #buffer()}.
     *
     * @return bytes.
     */
    public int index(final long index)
    {
        return (int)(index * stride);
    }

    /**
     * Address of an entry of a section that the JVM looks into.
     *
     * @throws IndexOutOfBoundsException for an entry that it does not have.
     */
    public long address(final long index)
    {
        if (index < 0 || index >= count)
        {
            throw new IndexOutOfBoundsException("entry " + index + " of a section of " + count);
        }

        return buffer.addressOffset() + index * stride;
    }

    /** View of the section's host memory. */
    public UnsafeBuffer buffer()
    {
        return buffer;
    }

    /**
     * Distance of entries.
     *
     * @return bytes.
     */
    public long stride()
    {
        return stride;
    }

    long bytes()
    {
        return count * stride;
    }

    boolean isHostView()
    {
        return hostView;
    }

    void place(final long offset)
    {
        base = offset;
    }

    void attach()
    {
        if (hostView && bytes() > Integer.MAX_VALUE)
        {
            throw new ConfigurationException(count + " entries of " + stride + " bytes of row metadata, " + bytes() +
                " bytes, are not allowed: must be at most " + Integer.MAX_VALUE +
                " bytes; lower the rings, transload.channels or transload.max-topk");
        }

        if (hostView && bytes() > 0)
        {
            buffer.wrap(arena.region(arena.owner()).hostView(base, Math.toIntExact(bytes())));
        }
    }
}
