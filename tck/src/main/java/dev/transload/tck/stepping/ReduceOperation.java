/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.tck.stepping;

import dev.transload.kernels.ElementType;
import dev.transload.kernels.Reduction;
import dev.transload.kernels.ReductionList;
import dev.transload.spi.MemoryKind;
import dev.transload.spi.MemoryRegion;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

/** Sums groups of rows, in the arithmetic that {@link Reduction} states. */
final class ReduceOperation extends KernelOperation
{
    private static final int HIDDEN_MULTIPLE = 8;

    private final SteppingFabric fabric;
    private final MemoryKind kind;
    private final Reduction reduction;
    private final ReductionList list;
    private final int from;
    private final int count;
    private final int targetBytes;
    private final int biasBytes;

    ReduceOperation(
        final SteppingFabric fabric, final MemoryKind kind, final Reduction given, final ReductionList list,
        final int from, final int count)
    {
        this.fabric = fabric;
        this.kind = kind;
        this.reduction = new Reduction(given.sourceRegions())
            .partType(given.partType())
            .target(given.target(), given.targetType())
            .biases(given.bias0(), given.bias1())
            .hidden(given.hidden())
            .weighted(given.isWeighted());
        for (int i = 0; i < given.sourceRegions(); i++)
        {
            reduction.source(i, given.source(i), given.sourceType(i));
        }

        this.list = list;
        this.from = from;
        this.count = count;
        this.targetBytes = given.hidden() * given.targetType().bytes();
        this.biasBytes = given.hidden() * ElementType.BF16.bytes();
    }

    @Override
    void check()
    {
        for (int i = 0; i < reduction.sourceRegions(); i++)
        {
            checkType("source", reduction.sourceType(i));
        }

        checkType("part", reduction.partType());
        checkType("target", reduction.targetType());
        if (reduction.hidden() <= 0 || 0 != reduction.hidden() % HIDDEN_MULTIPLE)
        {
            throw new IllegalArgumentException(
                "hidden=" + reduction.hidden() + " must be a positive multiple of " + HIDDEN_MULTIPLE);
        }

        RowAccess.checkCount(from, count, list.groups());
        for (int group = from; group < from + count; group++)
        {
            RowAccess.check("target of group " + group, kind, reduction.target(), list.targetOffset(group),
                targetBytes);
            checkBias("bias0 of group " + group, reduction.bias0(), list.bias0Offset(group));
            checkBias("bias1 of group " + group, reduction.bias1(), list.bias1Offset(group));
            final int first = list.firstSource(group);
            for (int source = first; source < first + list.sourceCount(group); source++)
            {
                checkSource(source);
            }
        }
    }

    @Override
    boolean isEmpty()
    {
        return 0 == count;
    }

    @Override
    void spoil(final Chance chance)
    {
        final byte[] garbage = new byte[targetBytes];
        for (int group = from; group < from + count; group++)
        {
            if (fabric.has(Fault.KRN_9) || !isInPlace(list.targetOffset(group)))
            {
                chance.garbage(garbage);
                RowAccess.write(reduction.target(), list.targetOffset(group), garbage);
            }
        }
    }

    @Override
    void finish()
    {
        final float[] sum = new float[reduction.hidden()];
        for (int group = from; group < from + count; group++)
        {
            Arrays.fill(sum, 0.0f);
            if (!fabric.has(Fault.KRN_5))
            {
                addBiases(sum, group);
            }

            addSources(sum, group);
            if (fabric.has(Fault.KRN_5))
            {
                addBiases(sum, group);
            }

            store(sum, list.targetOffset(group));
        }
    }

    private void addSources(final float[] sum, final int group)
    {
        final int first = list.firstSource(group);
        final int end = first + list.sourceCount(group);
        final boolean hasParts = first < end && list.beginsPart(first) && !fabric.has(Fault.KRN_16);
        final float[] part = hasParts ? new float[sum.length] : sum;
        for (int source = first; source < end; source++)
        {
            addSource(part, source);
            if (hasParts && (source + 1 == end || list.beginsPart(source + 1)))
            {
                for (int i = 0; i < sum.length; i++)
                {
                    sum[i] += ElementType.F32 == reduction.partType() || fabric.has(Fault.KRN_17) ?
                        part[i] : Bits.fromBf16(Bits.toBf16(part[i]));
                }

                Arrays.fill(part, 0.0f);
            }
        }
    }

    private void addSource(final float[] sum, final int source)
    {
        final int region = fabric.has(Fault.KRN_15) ? 0 : list.sourceRegion(source);
        final ElementType type = reduction.sourceType(region);
        final ByteBuffer row = RowAccess.read(
            reduction.source(region), list.sourceOffset(source), reduction.hidden() * type.bytes(), submission());
        if (reduction.isWeighted())
        {
            addWeighted(sum, row, type, list.weight(source));
        }
        else
        {
            add(sum, row, type);
        }
    }

    private void addBiases(final float[] sum, final int group)
    {
        addBias(sum, reduction.bias0(), list.bias0Offset(group));
        addBias(sum, reduction.bias1(), list.bias1Offset(group));
    }

    private void addBias(final float[] sum, final MemoryRegion bias, final long offset)
    {
        if (null != bias)
        {
            add(sum, RowAccess.read(bias, offset, biasBytes, submission()), ElementType.BF16);
        }
    }

    private static void add(final float[] sum, final ByteBuffer row, final ElementType type)
    {
        for (int i = 0; i < sum.length; i++)
        {
            sum[i] += element(row, type, i);
        }
    }

    private void addWeighted(final float[] sum, final ByteBuffer row, final ElementType type, final float weight)
    {
        for (int i = 0; i < sum.length; i++)
        {
            final float element = element(row, type, i);
            sum[i] = fabric.has(Fault.KRN_6) ? sum[i] + weight * element : Math.fma(weight, element, sum[i]);
        }
    }

    private static float element(final ByteBuffer row, final ElementType type, final int index)
    {
        return ElementType.F32 == type ? row.getFloat(index * Float.BYTES) :
            Bits.fromBf16(row.getShort(index * Short.BYTES));
    }

    private void store(final float[] sum, final long offset)
    {
        final ByteBuffer row = ByteBuffer.allocate(targetBytes).order(ByteOrder.nativeOrder());
        for (final float value : sum)
        {
            if (ElementType.F32 == reduction.targetType())
            {
                row.putFloat(value);
            }
            else
            {
                row.putShort(Bits.toBf16(value));
            }
        }

        RowAccess.write(reduction.target(), offset, row.array());
    }

    /** Spoiling a row that is read by any group would spoil the sum. */
    private boolean isInPlace(final long targetOffset)
    {
        for (int group = from; group < from + count; group++)
        {
            if (isBias(targetOffset, reduction.bias0(), list.bias0Offset(group)) ||
                isBias(targetOffset, reduction.bias1(), list.bias1Offset(group)))
            {
                return true;
            }

            final int first = list.firstSource(group);
            for (int source = first; source < first + list.sourceCount(group); source++)
            {
                final int region = list.sourceRegion(source);
                if (RowAccess.overlap(reduction.target(), targetOffset, targetBytes,
                    reduction.source(region), list.sourceOffset(source), sourceBytes(region)))
                {
                    return true;
                }
            }
        }

        return false;
    }

    private boolean isBias(final long targetOffset, final MemoryRegion bias, final long offset)
    {
        return null != bias &&
            RowAccess.overlap(reduction.target(), targetOffset, targetBytes, bias, offset, biasBytes);
    }

    private int sourceBytes(final int region)
    {
        return reduction.hidden() * reduction.sourceType(region).bytes();
    }

    private void checkSource(final int source)
    {
        final int region = list.sourceRegion(source);
        if (region >= reduction.sourceRegions() || null == reduction.source(region))
        {
            throw new IllegalArgumentException("source " + source + " names region " + region +
                ", which is not set: must be a set one of " + reduction.sourceRegions());
        }

        RowAccess.check(
            "source " + source, kind, reduction.source(region), list.sourceOffset(source), sourceBytes(region));
    }

    private void checkBias(final String what, final MemoryRegion bias, final long offset)
    {
        if (null != bias)
        {
            RowAccess.check(what, kind, bias, offset, biasBytes);
        }
    }

    private static void checkType(final String what, final ElementType type)
    {
        if (ElementType.F8_E4M3 == type)
        {
            throw new IllegalArgumentException(what + " type " + type + " cannot be summed: must be BF16 or F32");
        }
    }
}
