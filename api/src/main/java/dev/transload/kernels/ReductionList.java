/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.kernels;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Groups of source rows, each to be summed into one target row, in memory that the device of the kernels can read.
 * Native code reads it by address; the layout, in native byte order:
 * <pre>
 * group i  at i·32:                 targetOffset i64 | bias0Offset i64 | bias1Offset i64 | firstSource i32 | count i32
 * source s at groupCapacity·32+s·16: sourceOffset i64 | weight f32 | region u16 | beginsPart u16 (0 or 1)
 * </pre>
 * Offsets are bytes from the start of the {@link Reduction}'s regions. Filled by one thread; the kernels read groups
 * until their position completes. A group either has no parts, or its first source begins one.
 */
public final class ReductionList
{
    /** Bytes of a group. */
    public static final int GROUP_STRIDE = 32;

    /** Bytes of a source. */
    public static final int SOURCE_STRIDE = 16;

    /** Most regions that the sources of a list name: indices are 16 bits. */
    public static final int MAX_SOURCE_REGIONS = 65_536;

    /** Of the first bias in a group. */
    public static final int BIAS0_OFFSET = 8;

    /** Of the second bias in a group. */
    public static final int BIAS1_OFFSET = 16;

    /** Of the index of the first source in a group. */
    public static final int FIRST_SOURCE_OFFSET = 24;

    /** Of the number of sources in a group. */
    public static final int COUNT_OFFSET = 28;

    /** Of the weight in a source. */
    public static final int WEIGHT_OFFSET = 8;

    /** Of the region's index in a source. */
    public static final int REGION_OFFSET = 12;

    /** Of the mark that a part begins, in a source. */
    public static final int BEGINS_PART_OFFSET = 14;

    private final ByteBuffer memory;
    private final int groupCapacity;
    private final int sourceCapacity;
    private final int sourcesBase;
    private int groups;
    private int sources;
    private int sourcesOfGroup;
    private boolean isPartBegun;
    private boolean hasParts;
    private int changes;
    private Object attachment;

    /**
     * Over memory of at least {@link #bytes}.
     *
     * @param memory         direct buffer, kept for the life of the list.
     * @param groupCapacity  most groups.
     * @param sourceCapacity most sources of all groups together.
     */
    public ReductionList(final ByteBuffer memory, final int groupCapacity, final int sourceCapacity)
    {
        if (!memory.isDirect() || memory.capacity() < bytes(groupCapacity, sourceCapacity))
        {
            throw new IllegalArgumentException("memory must be direct and hold " +
                bytes(groupCapacity, sourceCapacity) + " bytes, has " + memory.capacity());
        }

        this.memory = memory.duplicate().order(ByteOrder.nativeOrder());
        this.groupCapacity = groupCapacity;
        this.sourceCapacity = sourceCapacity;
        this.sourcesBase = groupCapacity * GROUP_STRIDE;
    }

    /**
     * Memory that a list needs.
     *
     * @param groupCapacity  most groups.
     * @param sourceCapacity most sources.
     * @return bytes.
     */
    public static int bytes(final int groupCapacity, final int sourceCapacity)
    {
        return Math.addExact(
            Math.multiplyExact(groupCapacity, GROUP_STRIDE), Math.multiplyExact(sourceCapacity, SOURCE_STRIDE));
    }

    /**
     * Empty the list.
     *
     * @return this.
     */
    public ReductionList clear()
    {
        groups = 0;
        sources = 0;
        isPartBegun = false;
        changes++;
        return this;
    }

    /**
     * Note that the whole list was written into {@link #memory()} by address, in place of {@link #beginGroup} and
     * {@link #addSource}: for loops that count nanoseconds. Nothing may be added to it behind that.
     *
     * @param groupCount  groups that it holds now.
     * @param sourceCount sources that it holds now.
     */
    public void noteWritten(final int groupCount, final int sourceCount)
    {
        if ((groupCount | sourceCount) < 0 || groupCount > groupCapacity || sourceCount > sourceCapacity)
        {
            throw new IllegalArgumentException("groupCount=" + groupCount + ", sourceCount=" + sourceCount +
                ": must be at most " + groupCapacity + " and " + sourceCapacity);
        }

        clear();
        groups = groupCount;
        sources = sourceCount;
    }

    /**
     * Begin a group; sources added from now on belong to it.
     *
     * @param targetOffset of the sum.
     * @param bias0Offset  of the first bias row, ignored when the reduction has none.
     * @param bias1Offset  of the second bias row, ignored when the reduction has none.
     */
    public void beginGroup(final long targetOffset, final long bias0Offset, final long bias1Offset)
    {
        if (groups == groupCapacity)
        {
            throw new IllegalStateException("list is full: " + groupCapacity + " groups");
        }

        final int at = groups * GROUP_STRIDE;
        memory.putLong(at, targetOffset);
        memory.putLong(at + BIAS0_OFFSET, bias0Offset);
        memory.putLong(at + BIAS1_OFFSET, bias1Offset);
        memory.putInt(at + FIRST_SOURCE_OFFSET, sources);
        memory.putInt(at + COUNT_OFFSET, 0);
        sourcesOfGroup = 0;
        groups++;
        changes++;
        isPartBegun = false;
        hasParts = false;
    }

    /**
     * Begin a part of the group begun last: sources added from now on are summed by themselves first. A part without
     * sources is none.
     *
     * @throws IllegalStateException after sources that belong to no part.
     */
    public void beginPart()
    {
        if (0 == groups || !hasParts && sourceCount(groups - 1) > 0)
        {
            throw new IllegalStateException(
                0 == groups ? "no group was begun" : "the group has sources already which belong to no part");
        }

        isPartBegun = true;
        hasParts = true;
    }

    /**
     * Add a summand of region 0 to the group begun last.
     *
     * @param sourceOffset of the row.
     * @param weight       used by weighted reductions only.
     */
    public void addSource(final long sourceOffset, final float weight)
    {
        addSource(0, sourceOffset, weight);
    }

    /**
     * Add a summand to the group begun last.
     *
     * @param region       index of the {@link Reduction}'s source region that holds the row.
     * @param sourceOffset of the row.
     * @param weight       used by weighted reductions only.
     */
    public void addSource(final int region, final long sourceOffset, final float weight)
    {
        if (sources == sourceCapacity || 0 == groups)
        {
            throw new IllegalStateException(
                0 == groups ? "no group was begun" : "list is full: " + sourceCapacity + " sources");
        }

        final int at = sourcesBase + sources * SOURCE_STRIDE;
        memory.putLong(at, sourceOffset);
        memory.putFloat(at + WEIGHT_OFFSET, weight);
        memory.putShort(at + REGION_OFFSET, (short)region);
        memory.putShort(at + BEGINS_PART_OFFSET, (short)(isPartBegun ? 1 : 0));
        isPartBegun = false;
        sources++;
        changes++;
        memory.putInt((groups - 1) * GROUP_STRIDE + COUNT_OFFSET, ++sourcesOfGroup);
    }

    /**
     * Groups held.
     *
     * @return number of groups.
     */
    public int groups()
    {
        return groups;
    }

    /**
     * Sources held by all groups.
     *
     * @return number of sources.
     */
    public int sources()
    {
        return sources;
    }

    /**
     * Most groups.
     *
     * @return capacity.
     */
    public int groupCapacity()
    {
        return groupCapacity;
    }

    /**
     * Most sources.
     *
     * @return capacity.
     */
    public int sourceCapacity()
    {
        return sourceCapacity;
    }

    /**
     * Target of a group.
     *
     * @param group index.
     * @return byte offset.
     */
    public long targetOffset(final int group)
    {
        return memory.getLong(group * GROUP_STRIDE);
    }

    /**
     * First bias of a group.
     *
     * @param group index.
     * @return byte offset.
     */
    public long bias0Offset(final int group)
    {
        return memory.getLong(group * GROUP_STRIDE + BIAS0_OFFSET);
    }

    /**
     * Second bias of a group.
     *
     * @param group index.
     * @return byte offset.
     */
    public long bias1Offset(final int group)
    {
        return memory.getLong(group * GROUP_STRIDE + BIAS1_OFFSET);
    }

    /**
     * First source of a group.
     *
     * @param group index.
     * @return index of a source.
     */
    public int firstSource(final int group)
    {
        return memory.getInt(group * GROUP_STRIDE + FIRST_SOURCE_OFFSET);
    }

    /**
     * Sources of a group.
     *
     * @param group index.
     * @return count, may be 0.
     */
    public int sourceCount(final int group)
    {
        return memory.getInt(group * GROUP_STRIDE + COUNT_OFFSET);
    }

    /**
     * Offset of a source row.
     *
     * @param source index.
     * @return byte offset.
     */
    public long sourceOffset(final int source)
    {
        return memory.getLong(sourcesBase + source * SOURCE_STRIDE);
    }

    /**
     * Weight of a source row.
     *
     * @param source index.
     * @return weight.
     */
    public float weight(final int source)
    {
        return memory.getFloat(sourcesBase + source * SOURCE_STRIDE + WEIGHT_OFFSET);
    }

    /**
     * Region of a source row.
     *
     * @param source index.
     * @return index of a source region of the {@link Reduction}.
     */
    public int sourceRegion(final int source)
    {
        return Short.toUnsignedInt(memory.getShort(sourcesBase + source * SOURCE_STRIDE + REGION_OFFSET));
    }

    /**
     * Whether a part begins with a source.
     *
     * @param source index.
     * @return true for the first source of a part.
     */
    public boolean beginsPart(final int source)
    {
        return 0 != memory.getShort(sourcesBase + source * SOURCE_STRIDE + BEGINS_PART_OFFSET);
    }

    /**
     * How often entries have changed, so that kernels need not check a list again that is submitted as it was.
     *
     * @return a number that is another one after each change.
     */
    public int changes()
    {
        return changes;
    }

    /**
     * What the kernels that read the list keep with it.
     *
     * @return what was attached last, or null.
     */
    public Object attachment()
    {
        return attachment;
    }

    /**
     * Keep something with the list; for the kernels that read it.
     *
     * @param kept by them, or null.
     */
    public void attach(final Object kept)
    {
        attachment = kept;
    }

    /**
     * Backing memory for native code.
     *
     * @return direct buffer in native order.
     */
    public ByteBuffer memory()
    {
        return memory;
    }
}
