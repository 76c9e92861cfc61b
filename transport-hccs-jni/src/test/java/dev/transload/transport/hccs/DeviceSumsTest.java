/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.hccs;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.transload.kernels.ElementType;
import dev.transload.kernels.Reduction;
import dev.transload.kernels.RowKernels;
import dev.transload.kernels.RowTable;
import dev.transload.kernels.host.HostRowKernelsProvider;
import dev.transload.spi.MemoryRegion;
import dev.transload.tck.PlainRegion;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Sums that the device does: F32 with the bits of the host's, BF16 within the bound of docs/hccs.md. */
class DeviceSumsTest
{
    private static final int HIDDEN = 264;
    private static final int GROUPS = 60;
    private static final int MOST_SOURCES = 9;
    private static final int REGIONS = 3;
    private static final int ROWS = 40;
    private static final int BIASES_OF_A_ROW = 2;
    private static final int BLOCK_BYTES = 16 << 10;

    /** Half a unit in the last place of BF16, of 1. */
    private static final double UNIT = 1.0 / 256;

    private final EmulatedNpu device = new EmulatedNpu(BLOCK_BYTES, true);
    private final RowKernels kernels = device.kernels();
    private final RowKernels host = new HostRowKernelsProvider().open(0, Map.of("mode", "scalar"));
    private final MemoryRegion[] there = new MemoryRegion[REGIONS];
    private final MemoryRegion[] here = new MemoryRegion[REGIONS];

    @AfterEach
    void close()
    {
        host.close();
        kernels.close();
        device.close();
    }

    @Test
    void shouldSumF32WithTheBitsOfTheHost()
    {
        fill(ElementType.F32);
        final RowTable list = groups(new Random(5), false);
        assertArrayEquals(byHost(ElementType.F32, list, false), byDevice(ElementType.F32, list, false));
    }

    /** The difference is at most one rounding for each summand, of what was summed up to there in magnitude. */
    @Test
    void shouldSumBf16WithinTheBoundOfItsRoundings()
    {
        fill(ElementType.BF16);
        final RowTable list = groups(new Random(6), false);
        final ByteBuffer right = ByteBuffer.wrap(byHost(ElementType.BF16, list, true)).order(ByteOrder.nativeOrder());
        final ByteBuffer seen = ByteBuffer.wrap(byDevice(ElementType.BF16, list, true)).order(ByteOrder.nativeOrder());
        int others = 0;
        for (int group = 0; group < GROUPS; group++)
        {
            for (int i = 0; i < HIDDEN; i++)
            {
                final int at = (group * HIDDEN + i) * Short.BYTES;
                final double bound = bound(list, group, i);
                final double difference = Math.abs((double)value(right, at) - value(seen, at));
                assertTrue(difference <= bound, () -> "group with " + difference + " instead of " + bound);
                others += right.getShort(at) == seen.getShort(at) ? 0 : 1;
            }
        }

        assertTrue(others > 0, "no sum was rounded on the way: the host must have summed");
    }

    /** Weights, parts, mixed types and memory of the host are the host's business: all bits are its own. */
    @Test
    void shouldLeaveToTheHostWhatTheDeviceCannotSum()
    {
        fill(ElementType.BF16);
        final RowTable parts = groups(new Random(7), true);
        assertArrayEquals(byHost(ElementType.BF16, parts, true), byDevice(ElementType.BF16, parts, true));

        final RowTable list = groups(new Random(8), false);
        final MemoryRegion target = device.allocate((long)GROUPS * HIDDEN * Float.BYTES);
        final MemoryRegion expected = PlainRegion.host(new byte[(int)target.length()]);
        for (final boolean isWeighted : new boolean[] {true, false})
        {
            final ElementType type = isWeighted ? ElementType.BF16 : ElementType.F32;
            host.reduceRows(reduction(here, ElementType.BF16).target(expected, 0, rowBytes(type), type)
                .weighted(isWeighted), list, 0, GROUPS);
            device.finish(kernels.reduceRows(reduction(there, ElementType.BF16)
                .target(target, 0, rowBytes(type), type).weighted(isWeighted), list, 0, GROUPS));
            assertArrayEquals(device.read(expected, 0, (int)target.length()),
                device.read(target, 0, (int)target.length()));
        }
    }

    @Test
    void shouldSumOntoASourceOfTheSum()
    {
        fill(ElementType.F32);
        final RowTable list = kernels.allocateTable(1, 2).clear();
        list.beginRow(0);
        list.add(1, 0);
        list.add(0, 0);
        final int bytes = HIDDEN * Float.BYTES;
        host.reduceRows(reduction(here, ElementType.F32).target(here[0], 0, 0, ElementType.F32), list, 0, 1);
        device.finish(kernels.reduceRows(
            reduction(there, ElementType.F32).target(there[0], 0, 0, ElementType.F32), list, 0, 1));
        assertArrayEquals(device.read(here[0], 0, bytes), device.read(there[0], 0, bytes));
    }

    private void fill(final ElementType type)
    {
        final Random random = new Random(type.bytes());
        for (int region = 0; region < REGIONS; region++)
        {
            final byte[] bytes = new byte[ROWS * HIDDEN * type.bytes()];
            final ByteBuffer view = ByteBuffer.wrap(bytes).order(ByteOrder.nativeOrder());
            for (int i = 0; i < ROWS * HIDDEN; i++)
            {
                final float value = (float)(random.nextGaussian() * Math.pow(2, random.nextInt(12) - 6));
                if (ElementType.F32 == type)
                {
                    view.putFloat(value);
                }
                else
                {
                    view.putShort((short)(Float.floatToRawIntBits(value) >>> Short.SIZE));
                }
            }

            there[region] = device.filled(bytes);
            here[region] = PlainRegion.host(bytes);
        }
    }

    private static long rowBytes(final ElementType type)
    {
        return (long)HIDDEN * type.bytes();
    }

    /** Rows that often touch those of the group before, as they do in an engine; some groups have none. */
    private RowTable groups(final Random random, final boolean hasParts)
    {
        final RowTable list = kernels.allocateWeightedTable(GROUPS, GROUPS * MOST_SOURCES).clear();
        for (int group = 0; group < GROUPS; group++)
        {
            list.beginRow(group);
            final int sources = random.nextInt(MOST_SOURCES + 1);
            for (int i = 0; i < sources; i++)
            {
                if (hasParts && 0 == i % 2)
                {
                    list.beginPart();
                }

                list.add(i % REGIONS, (group + i / REGIONS * 7) % ROWS, random.nextFloat());
            }
        }

        return list;
    }

    private static Reduction reduction(final MemoryRegion[] regions, final ElementType type)
    {
        final Reduction reduction = new Reduction(REGIONS).hidden(HIDDEN);
        for (int i = 0; i < REGIONS; i++)
        {
            reduction.source(i, regions[i], 0, rowBytes(type), type);
        }

        return reduction;
    }

    /** Each row has a bias of its own: the second ones begin a row behind the first ones, and both overlap. */
    private static Reduction biased(final Reduction reduction, final MemoryRegion[] regions)
    {
        return null == regions ? reduction : reduction.biases(
            regions[0], 0, regions[1], rowBytes(ElementType.BF16), rowBytes(ElementType.BF16) / BIASES_OF_A_ROW);
    }

    private byte[] byHost(final ElementType type, final RowTable list, final boolean hasBiases)
    {
        final MemoryRegion target = PlainRegion.host(new byte[GROUPS * HIDDEN * type.bytes()]);
        host.reduceRows(biased(reduction(here, type), hasBiases ? here : null)
            .target(target, 0, rowBytes(type), type), list, 0, GROUPS);
        return device.read(target, 0, (int)target.length());
    }

    private byte[] byDevice(final ElementType type, final RowTable list, final boolean hasBiases)
    {
        final MemoryRegion target = device.allocate((long)GROUPS * HIDDEN * type.bytes());
        final long position = kernels.reduceRows(biased(reduction(there, type), hasBiases ? there : null)
            .target(target, 0, rowBytes(type), type), list, 0, GROUPS);
        assertEquals(1, position);
        device.finish(position);
        return device.read(target, 0, (int)target.length());
    }

    private double bound(final RowTable list, final int group, final int element)
    {
        final long rowBytes = rowBytes(ElementType.BF16);
        final long bias = group * (rowBytes / BIASES_OF_A_ROW);
        double magnitude = Math.abs(element(0, bias, element)) + Math.abs(element(1, rowBytes + bias, element));
        for (int i = list.firstEntry(group); i < list.firstEntry(group + 1); i++)
        {
            magnitude += Math.abs(element(list.region(i), list.entryRow(i) * rowBytes, element));
        }

        final int summands = list.entryCount(group) + 2;
        return (summands + 1) * UNIT * magnitude * Math.pow(1 + UNIT, summands);
    }

    private double element(final int region, final long offset, final int element)
    {
        return value(here[region].hostView(offset, HIDDEN * Short.BYTES), element * Short.BYTES);
    }

    private static float value(final ByteBuffer view, final int at)
    {
        return Float.intBitsToFloat(view.getShort(at) << Short.SIZE);
    }
}
