/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.nvlink.kernels;

import dev.transload.kernels.ElementType;
import dev.transload.kernels.Reduction;
import dev.transload.kernels.ReductionList;
import dev.transload.spi.MemoryRegion;

import org.agrona.UnsafeApi;

/**
 * One pass over the groups and sources of a reduction, which finds whether all rows lie in their regions and what the
 * kernels need to know of them. It reads the list's memory in the layout that {@link ReductionList} states, without a
 * branch that depends on the rows; a second pass explains what is wrong. Reused by one thread.
 */
final class GroupScan
{
    private static final int BIAS0 = 8;
    private static final int BIAS1 = 16;
    private static final int FIRST_SOURCE = 24;
    private static final int COUNT = 28;
    private static final int REGION = 12;
    private static final int REGION_MASK = 0xFFFF;
    private static final int MULTIPLE = 8;
    private static final int FIXED_PLACES = 6;

    private final RegionAddresses regions;
    private long[] addresses = new long[KernelArguments.INLINE_REGIONS];
    private long[] lasts = new long[KernelArguments.INLINE_REGIONS];
    private boolean[] areF32 = new boolean[KernelArguments.INLINE_REGIONS];
    private long[] places = new long[FIXED_PLACES + 2 * KernelArguments.INLINE_REGIONS];
    private Reduction reduction;
    private int regionCount;
    private long target;
    private long bias0;
    private long bias1;
    private long outside;
    private long bits;
    private long regionBits;
    private int mostSources;
    private boolean hasF32;
    private boolean hasParts;

    GroupScan(final RegionAddresses regions)
    {
        this.regions = regions;
    }

    /**
     * Check types and regions.
     *
     * @param next which is scanned from now on.
     */
    void begin(final Reduction next)
    {
        if (next.hidden() <= 0 || 0 != next.hidden() % MULTIPLE)
        {
            throw new IllegalArgumentException(
                "hidden=" + next.hidden() + ": must be a positive multiple of " + MULTIPLE);
        }

        checkType("partType", next.partType());
        checkType("targetType", next.targetType());
        regionCount = next.sourceRegions();
        if (addresses.length < regionCount)
        {
            // A power of two, so that a masked index needs no check.
            final int length = Integer.highestOneBit(regionCount - 1) << 1;
            addresses = new long[length];
            lasts = new long[length];
            areF32 = new boolean[length];
        }

        regionBits = 0;
        hasF32 = false;
        for (int i = 0; i < regionCount; i++)
        {
            final boolean isSet = null != next.source(i);
            if (isSet)
            {
                checkType("sourceType", next.sourceType(i));
            }

            addresses[i] = isSet ? regions.of("source", next.source(i)) : 0;
            // No offset lies before -1: a source in a region that is not set is outside of it.
            lasts[i] = isSet ? next.source(i).length() - rowBytes(next, next.sourceType(i)) : -1;
            areF32[i] = isSet && ElementType.F32 == next.sourceType(i);
            regionBits |= addresses[i];
            hasF32 |= areF32[i];
        }

        reduction = next;
        target = regions.of("target", next.target());
        bias0 = null == next.bias0() ? 0 : regions.of("bias0", next.bias0());
        bias1 = null == next.bias1() ? 0 : regions.of("bias1", next.bias1());
    }

    /**
     * Check groups, which are entries of the list.
     *
     * @param list    that holds them.
     * @param address of the list.
     * @param from    first group.
     * @param count   of groups.
     */
    void scan(final ReductionList list, final long address, final int from, final int count)
    {
        outside = 0;
        bits = 0;
        mostSources = 0;
        hasParts = false;
        if (0 == count)
        {
            return;
        }

        final int words = writePlaces();
        final ScanResult known = ScanResult.of(list, words);
        if (known.holds(list, from, count, places))
        {
            bits = known.bits();
            mostSources = known.mostSources();
            hasParts = known.hasParts();
            return;
        }

        look(list, address, from, count);
        known.set(list, from, count, places, bits, mostSources, hasParts);
    }

    /** All that entries are compared with; what is left out of a list's check when it is submitted again. */
    private int writePlaces()
    {
        final int words = FIXED_PLACES + 2 * regionCount;
        if (places.length < words)
        {
            places = new long[words];
        }

        places[0] = target;
        places[1] = lastOf(reduction.target(), reduction.targetType());
        places[2] = bias0;
        places[3] = 0 == bias0 ? 0 : lastOf(reduction.bias0(), ElementType.BF16);
        places[4] = bias1;
        places[5] = 0 == bias1 ? 0 : lastOf(reduction.bias1(), ElementType.BF16);
        System.arraycopy(addresses, 0, places, FIXED_PLACES, regionCount);
        System.arraycopy(lasts, 0, places, FIXED_PLACES + regionCount, regionCount);
        return words;
    }

    private long lastOf(final MemoryRegion region, final ElementType type)
    {
        return region.length() - rowBytes(reduction, type);
    }

    private void look(final ReductionList list, final long address, final int from, final int count)
    {
        final long groups = address + (long)from * ReductionList.GROUP_STRIDE;
        final int first = UnsafeApi.getInt(groups + FIRST_SOURCE);
        final long end = scanGroups(groups, count, first);
        if (outside < 0 || first < 0 || end > list.sources())
        {
            explainGroups(list, from, count);
        }

        final long sources = address + (long)list.groupCapacity() * ReductionList.GROUP_STRIDE;
        scanSources(sources + (long)first * ReductionList.SOURCE_STRIDE, (int)(end - first));
        if (outside < 0)
        {
            explainSources(list, first, (int)end);
        }
    }

    /** Whether the kernel for plain groups sums them. */
    boolean isPlain()
    {
        final int biases = (0 == bias0 ? 0 : 1) + (0 == bias1 ? 0 : 1);
        return isAligned() && !hasF32 && !hasParts && mostSources + biases <= KernelArguments.PLAIN_SUMMANDS;
    }

    int flags()
    {
        return (ElementType.F32 == reduction.targetType() ? KernelArguments.TARGET_F32 : 0) |
            (ElementType.F32 == reduction.partType() ? KernelArguments.PART_F32 : 0) |
            (reduction.isWeighted() ? KernelArguments.WEIGHTED : 0) |
            (isAligned() ? 0 : KernelArguments.UNALIGNED);
    }

    long target()
    {
        return target;
    }

    long bias0()
    {
        return bias0;
    }

    long bias1()
    {
        return bias1;
    }

    int regionCount()
    {
        return regionCount;
    }

    long[] addresses()
    {
        return addresses;
    }

    boolean[] areF32()
    {
        return areF32;
    }

    private boolean isAligned()
    {
        return 0 == bits % KernelArguments.VECTOR;
    }

    /** Sources of consecutive groups are consecutive: the kernels fetch them so. */
    private long scanGroups(final long groups, final int count, final int first)
    {
        final long lastTarget = places[1];
        final long lastBias0 = places[3];
        final long lastBias1 = places[5];
        long bad = 0;
        long gaps = 0;
        long all = 0;
        long next = first;
        int most = 0;
        for (int i = 0; i < count; i++)
        {
            final long group = groups + (long)i * ReductionList.GROUP_STRIDE;
            final long targetOffset = UnsafeApi.getLong(group);
            final long bias0Offset = 0 == bias0 ? 0 : UnsafeApi.getLong(group + BIAS0);
            final long bias1Offset = 0 == bias1 ? 0 : UnsafeApi.getLong(group + BIAS1);
            final int sources = UnsafeApi.getInt(group + COUNT);
            bad |= targetOffset | lastTarget - targetOffset | bias0Offset | lastBias0 - bias0Offset | bias1Offset |
                lastBias1 - bias1Offset | sources;
            gaps |= UnsafeApi.getInt(group + FIRST_SOURCE) - next;
            all |= target + targetOffset | bias0 + bias0Offset | bias1 + bias1Offset;
            most = Math.max(most, sources);
            next += sources;
        }

        outside = 0 == gaps ? bad : -1;
        bits = all;
        mostSources = most;
        return next;
    }

    private void scanSources(final long sources, final int count)
    {
        final long[] last = lasts;
        final int lastRegion = regionCount - 1;
        long bad = 0;
        long all = bits | regionBits;
        int parts = 0;
        for (int i = 0; i < count; i++)
        {
            final long source = sources + (long)i * ReductionList.SOURCE_STRIDE;
            final long offset = UnsafeApi.getLong(source);
            final int word = UnsafeApi.getInt(source + REGION);
            final int region = word & REGION_MASK;
            bad |= offset | last[region & last.length - 1] - offset | lastRegion - region;
            all |= offset;
            parts |= word;
        }

        outside = bad;
        bits = all;
        hasParts = 0 != parts >>> Short.SIZE;
    }

    private void explainGroups(final ReductionList list, final int from, final int count)
    {
        int next = list.firstSource(from);
        for (int i = from; i < from + count; i++)
        {
            if (list.firstSource(i) != next || next < 0 || list.sourceCount(i) < 0 ||
                next > list.sources() - list.sourceCount(i))
            {
                throw new IllegalArgumentException("list: group " + i + " has " + list.sourceCount(i) +
                    " sources from " + list.firstSource(i) + ", must lie within the list's " + list.sources() +
                    " sources, behind those of the group before");
            }

            next += list.sourceCount(i);
            explain("target", i, list.targetOffset(i), rowBytes(reduction, reduction.targetType()),
                reduction.target().length());
            if (0 != bias0)
            {
                explain("bias0", i, list.bias0Offset(i), rowBytes(reduction, ElementType.BF16),
                    reduction.bias0().length());
            }

            if (0 != bias1)
            {
                explain("bias1", i, list.bias1Offset(i), rowBytes(reduction, ElementType.BF16),
                    reduction.bias1().length());
            }
        }
    }

    private void explainSources(final ReductionList list, final int first, final int end)
    {
        for (int i = first; i < end; i++)
        {
            final int region = list.sourceRegion(i);
            if (region >= regionCount || null == reduction.source(region))
            {
                throw new IllegalArgumentException("source: entry " + i + " names region " + region +
                    ": must be one of the reduction's " + regionCount + " source regions, and set");
            }

            explain("source", i, list.sourceOffset(i), rowBytes(reduction, reduction.sourceType(region)),
                reduction.source(region).length());
        }
    }

    private static void explain(
        final String name, final int entry, final long offset, final long bytes, final long length)
    {
        if (offset < 0 || offset > length - bytes)
        {
            throw RowRanges.outside(name, entry, offset, bytes, length);
        }
    }

    private static long rowBytes(final Reduction reduction, final ElementType type)
    {
        return (long)reduction.hidden() * type.bytes();
    }

    private static void checkType(final String name, final ElementType type)
    {
        if (ElementType.BF16 != type && ElementType.F32 != type)
        {
            throw new IllegalArgumentException(name + "=" + type + ": must be BF16 or F32");
        }
    }
}
