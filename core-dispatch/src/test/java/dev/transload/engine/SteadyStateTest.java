/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import dev.transload.engine.loopback.LoopbackNetwork;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A world that runs for long: the same bytes every time, and nothing grows. */
class SteadyStateTest
{
    /** Each with three dispatches, of which two are cached, and two combines. */
    private static final int ITERATIONS = 500;
    private static final int WARM_UP = 60;
    private static final int MEASURED = 100;
    private static final int WINDOWS = 4;
    private static final int REFUSAL_INTERVAL = 7;
    private static final long HEAP_SLACK_BYTES = 2 << 20;

    @ParameterizedTest
    @CsvSource({"RANK_MAJOR, false", "EXPERT_MAJOR, false", "EXPERT_MAJOR, true"})
    void shouldDeliverTheSameBytesAThousandTimesWithoutGrowing(final OutputLayout layout, final boolean isStaged)
    {
        try (LoopbackWorld world =
            new LoopbackWorld(scenario(layout).staged(isStaged, LoopbackNetwork.DEVICE), REFUSAL_INTERVAL))
        {
            final ReusedOutputs outputs = new ReusedOutputs(world);
            iterate(world, outputs, WARM_UP, true);
            final long heapBefore = usedHeap();
            final long directBefore = usedDirect();
            final int threadsBefore = Thread.activeCount();
            iterate(world, outputs, ITERATIONS, true);
            final long growth = usedHeap() - heapBefore;
            assertTrue(growth < HEAP_SLACK_BYTES, () -> "the heap grew by " + growth + " bytes");
            final long directGrowth = usedDirect() - directBefore;
            assertTrue(directGrowth <= 0, () -> "direct memory grew by " + directGrowth + " bytes");
            assertTrue(Thread.activeCount() <= threadsBefore, "threads");
        }
    }

    @ParameterizedTest
    @CsvSource({
        "RANK_MAJOR, false, false, direct, auto", "EXPERT_MAJOR, true, false, direct, auto",
        "RANK_MAJOR, true, true, direct, 1 KiB", "RANK_MAJOR, false, false, mixed, 1 KiB",
        "EXPERT_MAJOR, true, true, ring, auto"})
    void shouldAllocateNothingInRoles(
        final OutputLayout layout, final boolean isFp8, final boolean isStaged, final String placement,
        final String tableMemory)
    {
        final Scenario scenario = scenario(layout).staged(isStaged, LoopbackNetwork.DEVICE);
        scenario.placement = placement;
        scenario.tableMemory = tableMemory;
        scenario.isFp8 = isFp8;
        scenario.hidden = 128;
        try (LoopbackWorld world = new LoopbackWorld(scenario, REFUSAL_INTERVAL))
        {
            final ReusedOutputs outputs = new ReusedOutputs(world);
            iterate(world, outputs, WARM_UP, false);
            assertEquals(0, leastAllocated(world, outputs), "bytes that all engines' duty cycles allocated in " +
                MEASURED + " iterations, the least of " + WINDOWS + " times");
        }
    }

    /** What roles allocate shows in every window; what the JVM does when it compiles them anew, in one now and then. */
    private static long leastAllocated(final LoopbackWorld world, final ReusedOutputs outputs)
    {
        long least = Long.MAX_VALUE;
        for (int window = 0; window < WINDOWS && least > 0; window++)
        {
            final long before = world.dutyCycleBytes;
            iterate(world, outputs, MEASURED, false);
            least = Math.min(least, world.dutyCycleBytes - before);
        }

        return least;
    }

    @Test
    void shouldMeasureAllocationAtAll()
    {
        final ThreadMXBean threads = (ThreadMXBean)ManagementFactory.getThreadMXBean();
        final long before = threads.getCurrentThreadAllocatedBytes();
        final byte[] bytes = new byte[1 << 16];
        assertTrue(threads.getCurrentThreadAllocatedBytes() - before >= bytes.length);
    }

    private static void iterate(
        final LoopbackWorld world, final ReusedOutputs outputs, final int iterations, final boolean isVerified)
    {
        for (int i = 0; i < iterations; i++)
        {
            final List<DispatchResult> results = outputs.dispatch(null);
            outputs.combine(results, isVerified);
            final List<DispatchHandle> handles = new ArrayList<>();
            results.forEach((result) -> handles.add(result.handle()));
            final List<DispatchResult> cached = outputs.dispatch(handles);
            if (isVerified)
            {
                world.verifyRows(cached);
            }

            outputs.combine(cached, isVerified);
            outputs.repeat(results, isVerified);
            handles.forEach(DispatchHandle::close);
        }
    }

    private static Scenario scenario(final OutputLayout layout)
    {
        final Scenario scenario = new Scenario(11);
        scenario.layout = layout;
        scenario.alignment = 3;
        scenario.biases = 1;
        scenario.topk = 3;
        return scenario;
    }

    /** After a collection has certainly happened: a weakly held object made before it is gone. */
    private static long usedHeap()
    {
        final WeakReference<Object> canary = new WeakReference<>(new Object());
        do
        {
            System.gc();
        }
        while (null != canary.get());
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    }

    private static long usedDirect()
    {
        return ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
            .filter((pool) -> "direct".equals(pool.getName())).mapToLong(BufferPoolMXBean::getMemoryUsed).sum();
    }
}
