/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.nvlink;

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
import dev.transload.transport.nvlink.cuda.TestEvent;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The queue, its events, the memory that it takes and what it refuses. */
class CudaRowKernelsTest
{
    private static final int LARGE = 4 << 20;
    private static final int CHAIN = 64;

    private final EmulatedDevice device = new EmulatedDevice();
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
        final MemoryRegion region = device.allocate(LARGE);
        final RowList rows = kernels.allocateRows(1).rowLength(LARGE);
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

    @Test
    void shouldCheckATableAgainstTheRegionsOfEachCall()
    {
        final int hidden = 64;
        final MemoryRegion two = device.allocate(4 * hidden);
        final MemoryRegion one = device.allocate(2 * hidden);
        final MemoryRegion target = device.allocate(2 * hidden);
        final RowTable table = kernels.allocateTable(1, 2);
        table.beginRow(0);
        table.add(0, 1);
        final Reduction reduction = new Reduction().target(target, 0, 0, ElementType.BF16).hidden(hidden);
        reduction.source(0, two, 0, 2 * hidden, ElementType.BF16);
        assertEquals(1, kernels.reduceRows(reduction, table, 0, 1));
        assertEquals(2, kernels.reduceRows(reduction, table, 0, 1));
        reduction.source(0, one, 0, 2 * hidden, ElementType.BF16);
        assertThrows(IndexOutOfBoundsException.class, () -> kernels.reduceRows(reduction, table, 0, 1));
        reduction.source(0, two, 0, 2 * hidden, ElementType.BF16);
        assertEquals(3, kernels.reduceRows(reduction, table, 0, 1));
        device.finish(3);
        table.add(0, 2);
        assertThrows(IndexOutOfBoundsException.class, () -> kernels.reduceRows(reduction, table, 0, 1));
    }

    /** The table of regions is one: other regions wait until it is read. */
    @Test
    void shouldScatterToMoreRegionsThanFitIntoTheArguments()
    {
        final int regions = 40;
        final int length = 1000;
        final byte[] bytes = random(2 * length);
        final MemoryRegion source = device.filled(bytes);
        final MemoryRegion target = device.allocate(2L * regions * length);
        final RowScatter scatter = new RowScatter(regions);
        final RowTable table = kernels.allocateTable(1, regions);
        table.beginRow(0);
        for (int i = 0; i < regions; i++)
        {
            table.add(i, 0);
        }

        for (int half = 0; half < 2; half++)
        {
            scatter.source(source, (long)half * length, length, length);
            for (int i = 0; i < regions; i++)
            {
                scatter.target(i, target, (long)(half * regions + i) * length, length);
            }

            long position = kernels.scatterRows(scatter, table, 0, 1);
            while (position < 0)
            {
                kernels.progress();
                position = kernels.scatterRows(scatter, table, 0, 1);
            }

            assertEquals(half + 1, position);
        }

        device.finish(2);
        for (int i = 0; i < 2 * regions; i++)
        {
            final int half = i / regions;
            assertArrayEquals(Arrays.copyOfRange(bytes, half * length, (half + 1) * length),
                device.read(target, (long)i * length, length), "copy " + i);
        }
    }

    /** Some blocks write to this device alone, the others to another one: together all rows to all their places. */
    @ParameterizedTest
    @CsvSource({"700, 4, 7168, 56, 32", "700, 4, 224, 0, 32", "90, 3, 1000, 56, 5", "90, 4, 4, 0, 8",
        "700, 2, 13, 8, 2",
        // More entries than a block has room for.
        "1100, 16, 16, 4, 2", "1100, 16, 36, 0, 3"})
    void shouldScatterToThisDeviceAndToAnotherOne(
        final int rows, final int regions, final int length, final int scalesLength, final int sms)
    {
        final Map<String, String> options = new HashMap<>(Emulator.options());
        options.put("kernel-sms", String.valueOf(sms));
        try (EmulatedDevice own = new EmulatedDevice(options); RowKernels few = own.kernels())
        {
            scatter(own, few, rows, regions, length, scalesLength);
        }
    }

    private static void scatter(
        final EmulatedDevice own, final RowKernels few, final int rows, final int regions, final int length,
        final int scalesLength)
    {
        final Random random = new Random(7);
        final byte[] bytes = random(rows * length);
        final byte[] scales = random(rows * scalesLength);
        final MemoryRegion[] targets = new MemoryRegion[regions];
        final MemoryRegion[] scalesTargets = new MemoryRegion[regions];
        final RowScatter scatter = new RowScatter(regions).source(own.filled(bytes), 0, length, length)
            .scales(0 == scalesLength ? null : own.filled(scales), 0, scalesLength, scalesLength);
        for (int i = 0; i < regions; i++)
        {
            targets[i] = at(i % 2, own.allocate((long)rows * length));
            scalesTargets[i] = at(i % 2, own.allocate((long)rows * scalesLength));
            scatter.target(i, targets[i], 0, length).copies(i, 1 + i);
            scatter.scalesTarget(i, 0 == scalesLength ? null : scalesTargets[i], 0, scalesLength);
        }

        final RowTable table = few.allocateTable(rows, rows * regions);
        final int[][] from = new int[regions][rows];
        final int[] counts = new int[regions];
        for (int row = 0; row < rows; row++)
        {
            table.beginRow(row);
            for (int i = random.nextInt(1 << regions); 0 != i; i &= i - 1)
            {
                final int region = Integer.numberOfTrailingZeros(i);
                from[region][counts[region]] = row;
                table.add(region, counts[region]++);
            }
        }

        own.finish(few.scatterRows(scatter, table, 0, rows));
        for (int i = 0; i < regions; i++)
        {
            assertCopies(own, bytes, targets[i], from[i], counts[i], length);
            assertCopies(own, scales, scalesTargets[i], from[i], counts[i], scalesLength);
        }
    }

    /** The emulator's devices share the process' memory. */
    private static MemoryRegion at(final int ordinal, final MemoryRegion region)
    {
        return new PlainRegion(MemoryKind.CUDA, ordinal, region.length(), region.address(), null, () -> {});
    }

    private static void assertCopies(
        final EmulatedDevice own, final byte[] source, final MemoryRegion target, final int[] from, final int count,
        final int length)
    {
        final byte[] expected = new byte[(int)target.length()];
        for (int i = 0; i < count; i++)
        {
            System.arraycopy(source, from[i] * length, expected, i * length, length);
        }

        assertArrayEquals(expected, own.read(target, 0, expected.length));
    }

    @Test
    void shouldStartBehindAForeignEvent()
    {
        final byte[] bytes = random(LARGE);
        final MemoryRegion source = device.filled(bytes);
        final MemoryRegion between = device.allocate(LARGE);
        final MemoryRegion target = device.allocate(LARGE);
        final RowList rows = kernels.allocateRows(1).rowLength(LARGE);
        rows.set(0, 0, 0);
        try (TestEvent event = new TestEvent(device.device()))
        {
            for (int i = 0; i < CHAIN; i++)
            {
                device.stream().copy(target.address(), source.address(), LARGE - 1);
                device.stream().copy(target.address(), between.address(), LARGE);
            }

            device.stream().copy(between.address(), source.address(), LARGE);
            assertEquals(0, device.stream().record(event.handle()));
            assertEquals(1, kernels.waitFor(new ForeignEvent(MemoryKind.CUDA, 0, event.handle())));
            assertEquals(2, kernels.copyRows(between, target, rows, 0, 1));
            device.finish(2);
        }

        assertArrayEquals(bytes, device.read(target, 0, LARGE));
    }

    @Test
    void shouldRecordAForeignEventBehindItsWork()
    {
        final byte[] bytes = random(LARGE);
        final MemoryRegion source = device.filled(bytes);
        final MemoryRegion between = device.allocate(LARGE);
        final MemoryRegion target = device.allocate(LARGE);
        final RowList rows = kernels.allocateRows(1).rowLength(LARGE);
        rows.set(0, 0, 0);
        try (TestEvent event = new TestEvent(device.device()))
        {
            for (int i = 0; i < CHAIN; i++)
            {
                kernels.zeroRows(between, rows, 0, 1);
            }

            kernels.copyRows(source, between, rows, 0, 1);
            assertEquals(CHAIN + 2, kernels.record(new ForeignEvent(MemoryKind.CUDA, 0, event.handle())));
            assertEquals(0, device.stream().waitFor(event.handle()));
            device.await(device.stream().copy(target.address(), between.address(), LARGE));
            assertArrayEquals(bytes, device.read(target, 0, LARGE));
            device.finish(CHAIN + 2);
        }
    }

    @Test
    void shouldCopyLongRowsBetweenHostAndDeviceInOrderWithoutALaunchForEach()
    {
        final byte[] bytes = random(LARGE);
        final MemoryRegion source = PlainRegion.host(bytes);
        final MemoryRegion target = PlainRegion.host(new byte[LARGE]);
        final MemoryRegion first = device.allocate(LARGE);
        final MemoryRegion second = device.allocate(LARGE);
        final RowList all = kernels.allocateRows(1).rowLength(LARGE);
        all.set(0, 0, 0);
        final RowList half = kernels.allocateRows(1).rowLength(LARGE / 2);
        half.set(0, LARGE / 2, 0);
        for (int round = 0; round < 3; round++)
        {
            final long before = kernels.position();
            assertEquals(before + 1, kernels.copyRows(source, first, all, 0, 1));
            assertEquals(before + 2, kernels.copyRows(source, second, all, 0, 1));
            assertEquals(before + 3, kernels.copyRows(first, second, half, 0, 1));
            assertEquals(before + 4, kernels.copyRows(second, target, all, 0, 1));
            assertEquals(before + 5, kernels.copyRows(second, target, all, 0, 0));
            device.finish(before + 5);
            final byte[] expected = bytes.clone();
            System.arraycopy(bytes, LARGE / 2, expected, 0, LARGE / 2);
            final byte[] actual = new byte[LARGE];
            target.hostView(0, LARGE).get(actual);
            assertArrayEquals(expected, actual);
        }

        // What nobody asks for is waited for by the end.
        kernels.copyRows(first, target, all, 0, 1);
        kernels.close();
        final byte[] last = new byte[LARGE];
        target.hostView(0, LARGE).get(last);
        assertArrayEquals(bytes, last);
    }

    @Test
    void shouldReadAndWriteHostMemoryThatNoDeviceKnew()
    {
        final byte[] bytes = random(10_000);
        final MemoryRegion source = PlainRegion.host(bytes);
        final MemoryRegion between = device.allocate(bytes.length);
        final MemoryRegion target = PlainRegion.host(new byte[bytes.length]);
        final RowList rows = kernels.allocateRows(1).rowLength(bytes.length);
        rows.set(0, 0, 0);
        kernels.copyRows(source, between, rows, 0, 1);
        device.finish(kernels.copyRows(between, target, rows, 0, 1));
        final byte[] seen = new byte[bytes.length];
        target.hostView(0, seen.length).get(seen);
        assertArrayEquals(bytes, seen);
        assertTrue(device.device().isAddressable(source.address()), "still registered");

        kernels.close();
        assertTrue(!device.device().isAddressable(source.address()), "no longer registered");
    }

    @Test
    void shouldRefuseWhatItsDeviceCannotUse()
    {
        final MemoryRegion region = device.allocate(64);
        final RowList rows = kernels.allocateRows(1).rowLength(16);
        rows.set(0, 0, 0);
        final RowList elsewhere = new RowList(ByteBuffer.allocateDirect(RowList.STRIDE), 1).rowLength(16);
        elsewhere.set(0, 0, 0);
        final MemoryRegion npu = new PlainRegion(MemoryKind.ASCEND, 0, 64, region.address(), null, () -> {});
        final MemoryRegion far = new PlainRegion(MemoryKind.CUDA, 9, 64, region.address(), null, () -> {});
        refused("rows is in memory that the device cannot read", () -> kernels.zeroRows(region, elsewhere, 0, 1));
        refused("dst is of kind ASCEND", () -> kernels.zeroRows(npu, rows, 0, 1));
        refused("dst is memory of device 9", () -> kernels.zeroRows(far, rows, 0, 1));
        refused("dst is null", () -> kernels.zeroRows(null, rows, 0, 1));
        refused("must be a CUevent", () -> kernels.waitFor(new ForeignEvent(MemoryKind.ASCEND, 0, 1)));
        refused("event is of device 1", () -> kernels.record(new ForeignEvent(MemoryKind.CUDA, 1, 1)));
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

    /** More rows than one block keeps in mind, by one block. */
    @Test
    void shouldCopyManyRowsOfSeveralParts()
    {
        final int many = 3_000;
        final int length = 48;
        final byte[] bytes = random(many * length);
        try (EmulatedDevice narrow = new EmulatedDevice(Emulator.options("kernel-sms", "1")))
        {
            final RowKernels single = narrow.kernels();
            final RowList rows = single.allocateRows(many).rowLength(length);
            final byte[] expected = new byte[bytes.length];
            for (int i = 0; i < many; i++)
            {
                final int from = (many - 1 - i) * length;
                rows.set(i, from, (long)i * length);
                System.arraycopy(bytes, from, expected, i * length, length);
            }

            final MemoryRegion source = narrow.filled(bytes);
            final List<MemoryRegion> targets = Stream.generate(() -> narrow.filled(new byte[bytes.length])).limit(3)
                .toList();
            final RowCopies copies = new RowCopies();
            targets.forEach((target) -> copies.add(source, target, rows, 0, many));
            assertEquals(1, single.copyRows(copies));
            narrow.finish(1);
            targets.forEach((target) -> assertArrayEquals(expected, narrow.read(target, 0, bytes.length)));
            single.close();
        }
    }

    @Test
    void shouldOfferTheDevicesOfTheDriver()
    {
        final CudaRowKernelsProvider provider = new CudaRowKernelsProvider();
        assertEquals(MemoryKind.CUDA, provider.kind());
        assertEquals("nvlink", provider.section());
        assertNull(provider.unavailableBecause(Emulator.options()));
        assertEquals(Emulator.DEVICES, provider.devices(Emulator.options()));
        final String said = provider.unavailableBecause(Map.of("library", "libno-such-driver.so.7"));
        assertTrue(said.contains("it cannot open libno-such-driver.so.7 too"), said);
        assertTrue(provider.unavailableBecause(Emulator.options("threads", "2")).contains("threads is not a key"));
        assertTrue(assertThrows(RuntimeException.class, () -> provider.open(Emulator.DEVICES, Emulator.options()))
            .getMessage().contains("there is no device " + Emulator.DEVICES));
    }

    private static byte[] random(final int length)
    {
        final byte[] bytes = new byte[length];
        new Random(length).nextBytes(bytes);
        return bytes;
    }

    private static void refused(final String text, final Executable call)
    {
        final String said = assertThrows(IllegalArgumentException.class, call).getMessage();
        assertTrue(said.contains(text), said);
    }
}
