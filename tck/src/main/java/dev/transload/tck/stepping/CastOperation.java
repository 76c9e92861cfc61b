/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.tck.stepping;

import dev.transload.kernels.ElementType;
import dev.transload.kernels.Fp8;
import dev.transload.kernels.ScaleFormat;
import dev.transload.spi.MemoryKind;
import dev.transload.spi.MemoryRegion;
import dev.transload.spi.RowList;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** Casts rows from BF16 to FP8 with scales, or back when no scale format is given. */
final class CastOperation extends KernelOperation
{
    private final SteppingFabric fabric;
    private final MemoryKind kind;
    private final MemoryRegion src;
    private final MemoryRegion dst;
    private final RowList rows;
    private final MemoryRegion scales;
    private final RowList scaleRows;
    private final int from;
    private final int count;
    private final int hidden;
    private final ScaleFormat format;

    CastOperation(
        final SteppingFabric fabric, final MemoryKind kind, final MemoryRegion src, final MemoryRegion dst,
        final RowList rows, final MemoryRegion scales, final RowList scaleRows, final int from, final int count,
        final int hidden, final ScaleFormat format)
    {
        this.fabric = fabric;
        this.kind = kind;
        this.src = src;
        this.dst = dst;
        this.rows = rows;
        this.scales = scales;
        this.scaleRows = scaleRows;
        this.from = from;
        this.count = count;
        this.hidden = hidden;
        this.format = format;
    }

    @Override
    void check()
    {
        if (hidden <= 0 || 0 != hidden % Fp8.GROUP)
        {
            throw new IllegalArgumentException("hidden=" + hidden + " must be a positive multiple of " + Fp8.GROUP);
        }

        RowAccess.checkCount(from, count, Math.min(rows.capacity(), scaleRows.capacity()));
        for (int i = from; i < from + count; i++)
        {
            RowAccess.check("source row " + i, kind, src, rows.srcOffset(i), sourceBytes());
            RowAccess.check("target row " + i, kind, dst, rows.dstOffset(i), targetBytes());
            RowAccess.check("scales of row " + i, kind, scales, scaleOffset(i), scaleBytes());
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
        final byte[] garbage = new byte[targetBytes()];
        final byte[] scaleGarbage = new byte[null == format ? 0 : scaleBytes()];
        for (int i = from; i < from + count; i++)
        {
            chance.garbage(garbage);
            RowAccess.write(dst, rows.dstOffset(i), garbage);
            chance.garbage(scaleGarbage);
            RowAccess.write(scales, scaleOffset(i), scaleGarbage);
        }
    }

    @Override
    void finish()
    {
        for (int i = from; i < from + count; i++)
        {
            final ByteBuffer source = RowAccess.read(src, rows.srcOffset(i), sourceBytes(), submission());
            final ByteBuffer target = ByteBuffer.allocate(targetBytes()).order(ByteOrder.nativeOrder());
            if (null == format)
            {
                dequantize(source, target,
                    RowAccess.read(scales, scaleOffset(i), scaleBytes(), submission()));
            }
            else
            {
                final ByteBuffer chosen = ByteBuffer.allocate(scaleBytes()).order(ByteOrder.nativeOrder());
                Bits.quantize(source, target, chosen, hidden, format, !fabric.has(Fault.KRN_7));
                RowAccess.write(scales, scaleOffset(i), chosen.array());
            }

            RowAccess.write(dst, rows.dstOffset(i), target.array());
        }
    }

    private void dequantize(final ByteBuffer source, final ByteBuffer target, final ByteBuffer given)
    {
        for (int i = 0; i < hidden; i++)
        {
            final float scale = given.getFloat(i / Fp8.GROUP * Float.BYTES);
            final float product = Bits.fromFp8(source.get(i)) * scale;
            target.putShort(fabric.has(Fault.KRN_8) ?
                (short)(Float.floatToRawIntBits(product) >>> Short.SIZE) : Bits.toBf16(product));
        }
    }

    private int sourceBytes()
    {
        return hidden * (null == format ? ElementType.F8_E4M3 : ElementType.BF16).bytes();
    }

    private int targetBytes()
    {
        return hidden * (null == format ? ElementType.BF16 : ElementType.F8_E4M3).bytes();
    }

    private int scaleBytes()
    {
        return Fp8.scales(hidden) * Float.BYTES;
    }

    private long scaleOffset(final int row)
    {
        return null == format ? scaleRows.srcOffset(row) : scaleRows.dstOffset(row);
    }
}
