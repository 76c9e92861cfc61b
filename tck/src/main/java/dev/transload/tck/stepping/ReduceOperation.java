/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.tck.stepping;

import dev.transload.kernels.ElementType;
import dev.transload.kernels.Reduction;
import dev.transload.kernels.RowTable;
import dev.transload.spi.MemoryKind;
import dev.transload.spi.MemoryRegion;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

/** Sums the entries of rows, in the arithmetic that {@link Reduction} states. */
final class ReduceOperation extends TableOperation
{
    private final Reduction reduction;
    private final int targetBytes;
    private final int biasBytes;

    ReduceOperation(
        final SteppingFabric fabric, final MemoryKind kind, final Reduction given, final RowTable table,
        final int from, final int count)
    {
        super(fabric, kind, table, from, count);
        this.reduction = new Reduction(given.sourceRegions()).set(given);
        this.targetBytes = given.hidden() * given.targetType().bytes();
        this.biasBytes = given.hidden() * ElementType.BF16.bytes();
    }

    @Override
    void checkTable()
    {
        reduction.check(table, from, count);
    }

    @Override
    boolean isSet(final int region)
    {
        return region < reduction.sourceRegions() && null != reduction.source(region);
    }

    @Override
    void checkRow(final int index)
    {
        RowAccess.check("target of row " + index, kind, reduction.target(), target(index), targetBytes);
        checkBias("bias0 of row " + index, reduction.bias0(), bias0(index));
        checkBias("bias1 of row " + index, reduction.bias1(), bias1(index));
        for (int entry = table.firstEntry(index); entry < table.firstEntry(index + 1); entry++)
        {
            final int region = table.region(entry);
            RowAccess.check(
                "entry " + entry, kind, reduction.source(region), source(entry), sourceBytes(region));
        }
    }

    private long target(final int index)
    {
        return reduction.targetBase() + table.row(index) * reduction.targetStride();
    }

    private long bias0(final int index)
    {
        return reduction.bias0Base() + table.row(index) * reduction.biasStride();
    }

    private long bias1(final int index)
    {
        return reduction.bias1Base() + table.row(index) * reduction.biasStride();
    }

    private long source(final int entry)
    {
        final int region = known(table.region(entry));
        return reduction.sourceBase(region) + table.entryRow(entry) * reduction.sourceStride(region);
    }

    @Override
    void spoil(final Chance chance)
    {
        final byte[] garbage = new byte[targetBytes];
        for (int index = from; index < from + count; index++)
        {
            if (fabric.has(Fault.KRN_9) || !isInPlace(target(index)))
            {
                chance.garbage(garbage);
                RowAccess.write(reduction.target(), target(index), garbage);
            }
        }
    }

    @Override
    void finish()
    {
        final float[] sum = new float[reduction.hidden()];
        for (int index = from; index < from + count; index++)
        {
            Arrays.fill(sum, 0.0f);
            if (!fabric.has(Fault.KRN_5))
            {
                addBiases(sum, index);
            }

            addSources(sum, index);
            if (fabric.has(Fault.KRN_5))
            {
                addBiases(sum, index);
            }

            store(sum, target(index));
        }
    }

    private void addSources(final float[] sum, final int index)
    {
        final int first = table.firstEntry(index);
        final int end = table.firstEntry(index + 1);
        final boolean hasParts = first < end && table.beginsPart(first) && !fabric.has(Fault.KRN_16);
        final float[] part = hasParts ? new float[sum.length] : sum;
        for (int entry = first; entry < end; entry++)
        {
            addSource(part, entry);
            if (hasParts && (entry + 1 == end || table.beginsPart(entry + 1)))
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

    private void addSource(final float[] sum, final int entry)
    {
        final int region = fabric.has(Fault.KRN_15) ? 0 : known(table.region(entry));
        final ElementType type = reduction.sourceType(region);
        final ByteBuffer row = RowAccess.read(
            reduction.source(region), source(entry), reduction.hidden() * type.bytes(), submission());
        if (reduction.isWeighted())
        {
            addWeighted(sum, row, type, table.weight(entry));
        }
        else
        {
            add(sum, row, type);
        }
    }

    private void addBiases(final float[] sum, final int index)
    {
        addBias(sum, reduction.bias0(), bias0(index));
        addBias(sum, reduction.bias1(), bias1(index));
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

    /** Spoiling a row that is read for any other would spoil the sum. */
    private boolean isInPlace(final long targetOffset)
    {
        for (int index = from; index < from + count; index++)
        {
            if (isBias(targetOffset, reduction.bias0(), bias0(index)) ||
                isBias(targetOffset, reduction.bias1(), bias1(index)))
            {
                return true;
            }

            final int first = table.firstEntry(index);
            for (int entry = first; entry < table.firstEntry(index + 1); entry++)
            {
                final int region = known(table.region(entry));
                if (RowAccess.overlap(reduction.target(), targetOffset, targetBytes,
                    reduction.source(region), source(entry), sourceBytes(region)))
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

    private void checkBias(final String what, final MemoryRegion bias, final long offset)
    {
        if (null != bias)
        {
            RowAccess.check(what, kind, bias, offset, biasBytes);
        }
    }
}
