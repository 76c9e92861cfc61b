/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.hccs;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.transload.kernels.ElementType;
import dev.transload.kernels.ForeignEvent;
import dev.transload.kernels.Reduction;
import dev.transload.kernels.RowCopies;
import dev.transload.kernels.RowKernels;
import dev.transload.kernels.RowScatter;
import dev.transload.kernels.RowTable;
import dev.transload.spi.MemoryKind;
import dev.transload.spi.MemoryRegion;
import dev.transload.spi.RowList;
import dev.transload.tck.PlainRegion;
import dev.transload.transport.hccs.internal.acl.CopyKind;
import dev.transload.transport.hccs.internal.acl.TestEvent;

import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** The queue, its events, the memory that it takes and what it refuses. */
class AscendRowKernelsTest
{
    private static final int LENGTH = 1 << 20;
    private static final int CHAIN = 64;
    private static final int BLOCK_BYTES = 64 << 10;

    private final EmulatedNpu device = new EmulatedNpu(BLOCK_BYTES, false);
    private final RowKernels kernels = device.kernels();

    @AfterEach
    void close()
    {
        kernels.close();
        device.close();
    }

    @Test
    void shouldPushBackWhileMuchIsUnderWayAndThenGoOn()
    {
        final MemoryRegion region = device.allocate(LENGTH);
        final RowList rows = kernels.allocateRows(1).rowLength(LENGTH);
        rows.set(0, 0, 0);
        final int most = 100_000;
        int accepted = 0;
        while (accepted < most && kernels.zeroRows(region, rows, 0, 1) != RowKernels.BACK_PRESSURED)
        {
            accepted++;
        }

        assertTrue(accepted < most, "never pushed back");
        assertEquals(accepted, kernels.position());
        device.finish(accepted);
        assertEquals(accepted + 1, kernels.zeroRows(region, rows, 0, 1));
    }

    /** Each sum needs what the one before it wrote, and the last copy needs them all. */
    @Test
    void shouldSeeInOneOperationWhatTheOnesBeforeWrote()
    {
        final int hidden = 1024;
        final byte[] ones = new byte[hidden * Float.BYTES];
        for (int i = 0; i < hidden; i++)
        {
            ones[i * Float.BYTES + 2] = (byte)0x80;
            ones[i * Float.BYTES + 3] = 0x3F;
        }

        final MemoryRegion one = device.filled(ones);
        final MemoryRegion sum = device.allocate(ones.length);
        final MemoryRegion result = PlainRegion.host(new byte[ones.length]);
        final RowTable table = kernels.allocateTable(1, 2).clear();
        table.beginRow(0);
        table.add(0, 0);
        table.add(1, 0);
        final Reduction reduction = new Reduction(2).source(0, one, 0, 0, ElementType.F32)
            .source(1, sum, 0, 0, ElementType.F32).target(sum, 0, 0, ElementType.F32).hidden(hidden);
        for (int i = 0; i < CHAIN; i++)
        {
            assertEquals(i + 1, kernels.reduceRows(reduction, table, 0, 1));
        }

        final RowList rows = kernels.allocateRows(1).rowLength(ones.length);
        rows.set(0, 0, 0);
        device.finish(kernels.copyRows(sum, result, rows, 0, 1));
        for (int i = 0; i < hidden; i++)
        {
            assertEquals(CHAIN, result.hostView(0, ones.length).getFloat(i * Float.BYTES));
        }
    }

    @Test
    void shouldKeepACopyOfTheReductionButNotOfTheTable()
    {
        final byte[] bytes = random(4 * BLOCK_BYTES);
        final MemoryRegion source = device.filled(bytes);
        final MemoryRegion target = device.allocate(bytes.length);
        final int hidden = 512;
        final int rows = bytes.length / hidden / Short.BYTES;
        final RowTable table = kernels.allocateTable(rows, rows).clear();
        for (int i = 0; i < rows; i++)
        {
            table.beginRow(i);
            table.add(0, i);
        }

        final long rowBytes = hidden * Short.BYTES;
        final Reduction reduction = new Reduction().source(0, source, 0, rowBytes, ElementType.BF16)
            .target(target, 0, rowBytes, ElementType.BF16).hidden(hidden);
        final long position = kernels.reduceRows(reduction, table, 0, rows);
        reduction.source(0, target, 0, 1, ElementType.F32).target(source, 0, 1, ElementType.F32).hidden(8)
            .weighted(true);
        device.finish(position);
        assertArrayEquals(bytes, device.read(target, 0, bytes.length));
    }

    /** A table that names the host's rows and the device's: some go through many blocks, long after the call. */
    @Test
    void shouldKeepACopyOfAScatterAndDoItAllBeforeTheNext()
    {
        final int rows = 16;
        final int length = BLOCK_BYTES / 2;
        final byte[] bytes = random(rows * length);
        final MemoryRegion source = device.filled(bytes);
        final MemoryRegion[] targets = {
            device.allocate(bytes.length), PlainRegion.host(new byte[bytes.length]), device.allocate(bytes.length)};
        final RowScatter scatter = new RowScatter(targets.length).source(source, 0, length, length);
        final RowTable table = kernels.allocateTable(rows, rows * targets.length).clear();
        for (int i = 0; i < targets.length; i++)
        {
            scatter.target(i, targets[i], 0, length);
        }

        for (int i = 0; i < rows; i++)
        {
            table.beginRow(i);
            for (int target = 0; target < targets.length; target++)
            {
                table.add(target, i);
            }
        }

        kernels.scatterRows(scatter, table, 0, rows);
        scatter.source(targets[0], 0, 0, 1).target(0, source, 0, 0);
        final RowList whole = kernels.allocateRows(1).rowLength(bytes.length);
        whole.set(0, 0, 0);
        final MemoryRegion last = device.allocate(bytes.length);
        device.finish(kernels.copyRows(targets[2], last, whole, 0, 1));
        for (final MemoryRegion target : targets)
        {
            assertArrayEquals(bytes, device.read(target, 0, bytes.length));
        }

        assertArrayEquals(bytes, device.read(last, 0, bytes.length));
    }

    /** Parts that the CPU copies go through many blocks, long after the call. */
    @Test
    void shouldKeepACopyOfThePartsAndDoThemAllBeforeTheNext()
    {
        final int length = 4 * BLOCK_BYTES;
        final byte[] bytes = random(length);
        final MemoryRegion host = PlainRegion.host(bytes);
        final MemoryRegion near = device.filled(bytes);
        final MemoryRegion[] targets = {
            device.allocate(length), PlainRegion.host(new byte[length]), device.allocate(length),
            PlainRegion.host(new byte[length]), device.allocate(length)};
        final RowList rows = kernels.allocateRows(2).rowLength(length / 2);
        rows.set(0, 0, length / 2);
        rows.set(1, length / 2, 0);
        final RowCopies copies = new RowCopies()
            .add(host, targets[0], rows, 0, 2)
            .add(near, targets[1], rows, 0, 2)
            .add(near, targets[2], rows, 0, 2)
            .add(host, targets[3], rows, 0, 2);
        assertEquals(1, kernels.copyRows(copies));
        assertEquals(2, kernels.copyRows(copies.clear().add(targets[0], targets[4], rows, 0, 2)));
        copies.clear().add(targets[4], near, rows, 0, 2);
        device.finish(2);
        assertArrayEquals(bytes, device.read(targets[4], 0, length));
        final byte[] swapped = device.read(targets[0], 0, length);
        for (int i = 1; i < 4; i++)
        {
            assertArrayEquals(swapped, device.read(targets[i], 0, length), "target " + i);
        }
    }

    @Test
    void shouldStartBehindAForeignEvent()
    {
        final byte[] bytes = random(LENGTH);
        final MemoryRegion source = device.filled(bytes);
        final MemoryRegion between = device.allocate(LENGTH);
        final MemoryRegion target = device.allocate(LENGTH);
        final MemoryRegion host = PlainRegion.host(new byte[LENGTH]);
        final RowList rows = kernels.allocateRows(1).rowLength(LENGTH);
        rows.set(0, 0, 0);
        try (TestEvent event = new TestEvent(device.device()))
        {
            for (int i = 0; i < CHAIN; i++)
            {
                device.stream().copy(
                    CopyKind.DEVICE_TO_DEVICE, target.address(), source.address(), LENGTH - 1);
            }

            device.stream().copy(CopyKind.DEVICE_TO_DEVICE, between.address(), source.address(), LENGTH);
            assertEquals(0, device.stream().record(event.handle()));
            assertEquals(1, kernels.waitFor(new ForeignEvent(MemoryKind.ASCEND, 0, event.handle())));
            assertEquals(2, kernels.copyRows(between, target, rows, 0, 1));
            assertEquals(3, kernels.copyRows(target, host, rows, 0, 1));
            device.finish(3);
        }

        assertArrayEquals(bytes, device.read(target, 0, LENGTH));
        assertArrayEquals(bytes, device.read(host, 0, LENGTH));
    }

    @Test
    void shouldRecordAForeignEventBehindItsWork()
    {
        final byte[] bytes = random(LENGTH);
        final MemoryRegion source = PlainRegion.host(bytes);
        final MemoryRegion between = device.allocate(LENGTH);
        final MemoryRegion target = device.allocate(LENGTH);
        final RowList rows = kernels.allocateRows(1).rowLength(LENGTH);
        rows.set(0, 0, 0);
        try (TestEvent event = new TestEvent(device.device()))
        {
            for (int i = 0; i < CHAIN; i++)
            {
                kernels.zeroRows(between, rows, 0, 1);
            }

            kernels.copyRows(source, between, rows, 0, 1);
            final long recorded = kernels.record(new ForeignEvent(MemoryKind.ASCEND, 0, event.handle()));
            assertEquals(CHAIN + 2, recorded);
            device.finish(CHAIN + 1);
            // What has come through blocks is on its way: the other stream waits for the event, not for this thread.
            device.finish(recorded);
            assertEquals(0, device.stream().waitFor(event.handle()));
            device.stream().copy(CopyKind.DEVICE_TO_DEVICE, target.address(), between.address(), LENGTH);
            assertArrayEquals(bytes, device.read(target, 0, LENGTH));
        }
    }

    @Test
    void shouldRefuseWhatItsDeviceCannotUse()
    {
        final MemoryRegion region = device.allocate(64);
        final RowList rows = kernels.allocateRows(1).rowLength(16);
        rows.set(0, 0, 0);
        final MemoryRegion gpu = new PlainRegion(MemoryKind.CUDA, 0, 64, region.address(), null, () -> {});
        final MemoryRegion far = new PlainRegion(MemoryKind.ASCEND, 9, 64, region.address(), null, () -> {});
        refused("dst is of kind CUDA", () -> kernels.zeroRows(gpu, rows, 0, 1));
        refused("dst is memory of device 9", () -> kernels.zeroRows(far, rows, 0, 1));
        refused("dst is null", () -> kernels.zeroRows(null, rows, 0, 1));
        refused("must be an aclrtEvent", () -> kernels.waitFor(new ForeignEvent(MemoryKind.CUDA, 0, 1)));
        refused("event is of device 1", () -> kernels.record(new ForeignEvent(MemoryKind.ASCEND, 1, 1)));
        assertEquals(0, kernels.position());
    }

    @Test
    void shouldBeDrivenByOneThreadAndNotWhenClosed() throws InterruptedException
    {
        kernels.progress();
        final Throwable[] thrown = new Throwable[1];
        final Thread other = new Thread(kernels::progress, "other");
        other.setUncaughtExceptionHandler((thread, ex) -> thrown[0] = ex);
        other.start();
        other.join();
        assertTrue(thrown[0].getMessage().contains("called on 'other'"), String.valueOf(thrown[0]));

        kernels.close();
        assertThrows(IllegalStateException.class, kernels::progress);
    }

    @Test
    void shouldOfferTheDevicesOfTheRuntime()
    {
        final AscendRowKernelsProvider provider = new AscendRowKernelsProvider();
        assertEquals(MemoryKind.ASCEND, provider.kind());
        assertEquals("hccs", provider.section());
        assertNull(provider.unavailableBecause(Emulator.options()));
        assertEquals(Emulator.DEVICES, provider.devices(Emulator.options()));
        final String said = provider.unavailableBecause(Map.of("library", "libno-such-runtime.so"));
        assertTrue(said.contains("it cannot open libno-such-runtime.so too"), said);
        final Map<String, String> wrong = Map.of("library", Emulator.library(), "reduce", "gpu");
        assertTrue(provider.unavailableBecause(wrong).contains("host or device"), provider.unavailableBecause(wrong));
        assertTrue(assertThrows(RuntimeException.class, () -> provider.open(Emulator.DEVICES, Emulator.options()))
            .getMessage().contains("there is no device " + Emulator.DEVICES));
    }

    private static byte[] random(final int length)
    {
        final byte[] bytes = new byte[length];
        final Random random = new Random(length);
        random.nextBytes(bytes);
        for (int i = 1; i < length; i += Short.BYTES)
        {
            // Finite as BF16.
            bytes[i] = (byte)(bytes[i] & 0x3F | 1);
        }

        return bytes;
    }

    private static void refused(final String text, final Executable call)
    {
        final String said = assertThrows(IllegalArgumentException.class, call).getMessage();
        assertTrue(said.contains(text), said);
    }
}
