/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.transload.engine.loopback.InterceptedKernels;
import dev.transload.engine.loopback.LoopbackKernelsProvider;
import dev.transload.engine.loopback.LoopbackNetwork;
import dev.transload.gate.Thorough;
import dev.transload.kernels.RowKernels;
import dev.transload.kernels.RowTable;
import dev.transload.kernels.host.HostRowKernelsProvider;
import dev.transload.spi.MemoryKind;
import dev.transload.spi.RowList;
import java.lang.reflect.Array;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Collections;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Batches of any size pass the smallest rings. What the engine asks for of transports and row kernels, which registers
 * or page-locks it, is the same for all of them; a handle takes up to 100 bytes of heap a token.
 */
class BatchSizeTest
{
    private static final int MOST_BYTES_A_TOKEN = 100;

    /** Worlds in which tables are longer than what row kernels see of them, by far. */
    @ParameterizedTest
    @CsvSource({"1, 4, RANK_MAJOR, host", "2, 2, RANK_MAJOR, host", "2, 2, RANK_MAJOR, staged",
        "1, 4, EXPERT_MAJOR, host", "2, 2, EXPERT_MAJOR, device", "8, 1, RANK_MAJOR, host",
        "8, 1, EXPERT_MAJOR, host"})
    void shouldTakeTheSameMemoryForLargerBatches(
        final int nodes, final int ranks, final OutputLayout layout, final String kind)
    {
        compare(nodes, ranks, layout, kind, 8, "64 KiB", 1500, 4500);
    }

    @ParameterizedTest
    @CsvSource({"1, 4, host", "2, 2, host"})
    @Thorough("the same with 4,500 tokens")
    void shouldTakeTheSameMemoryForAMillionTokens(final int nodes, final int ranks, final String kind)
    {
        compare(nodes, ranks, OutputLayout.RANK_MAJOR, kind, 2, "auto", 65_536, 1_000_000);
    }

    private static void compare(
        final int nodes, final int ranks, final OutputLayout layout, final String kind, final int topk,
        final String tables, final int few, final int many)
    {
        final Memory less = run(scenario(nodes, ranks, layout, kind, topk, tables, few), kind);
        final Memory more = run(scenario(nodes, ranks, layout, kind, topk, tables, many), kind);
        assertEquals(less.transport, more.transport, "bytes asked of transports");
        assertEquals(less.kernels, more.kernels, "bytes asked of row kernels");
        final double bytes = (double)(more.handle - less.handle) / (many - few);
        assertTrue(bytes <= MOST_BYTES_A_TOKEN, () -> "a handle takes " + bytes + " bytes a token");
        assertTrue(bytes > 0, () -> bytes + " bytes a token cannot be all: adapt this test");
    }

    private static Scenario scenario(
        final int nodes, final int ranks, final OutputLayout layout, final String kind, final int topk,
        final String tables, final int tokens)
    {
        final Scenario scenario = new Scenario(7);
        scenario.nodes = nodes;
        scenario.ranksPerNode = ranks;
        scenario.kind = "host".equals(kind) ? MemoryKind.HOST : LoopbackNetwork.DEVICE;
        scenario.isStaged = "staged".equals(kind);
        scenario.layout = layout;
        scenario.tableMemory = tables;
        scenario.tokens = new int[nodes * ranks];
        Arrays.fill(scenario.tokens, tokens);
        scenario.topk = topk;
        scenario.experts = 8 * nodes * ranks;
        scenario.hidden = 8;
        scenario.missing = 0;
        scenario.outChunk = 16;
        scenario.outRing = scenario.outChunk + scenario.outBatch - 1;
        scenario.upChunk = 16;
        scenario.upRing = scenario.upChunk + scenario.upBatch - 1;
        return scenario;
    }

    /** A dispatch, a cached one, and a combine after each, with outputs that were there before. */
    private static Memory run(final Scenario scenario, final String kind)
    {
        final CountedKernels kernels = new CountedKernels("host".equals(kind));
        final LoopbackNetwork up =
            new LoopbackNetwork(LoopbackNetwork.NAME, Set.of(MemoryKind.HOST, LoopbackNetwork.DEVICE), 0);
        final LoopbackNetwork out =
            scenario.isStaged ? new LoopbackNetwork("wire", Set.of(MemoryKind.HOST), 0) : up;
        try (LoopbackWorld world = new LoopbackWorld(scenario, out, up, kernels))
        {
            final long opened = world.bytesOpened;
            final ReusedOutputs outputs = new ReusedOutputs(world);
            final List<DispatchResult> results = outputs.dispatch(null);
            world.verifyDispatch(results);
            outputs.combine(results, true);
            final long before = allocated(out, up);
            final List<DispatchHandle> handles = results.stream().map(DispatchResult::handle).toList();
            final List<DispatchResult> cached = outputs.dispatch(handles);
            world.verifyRows(cached);
            outputs.combine(cached, true);
            assertEquals(before, allocated(out, up), "bytes asked of transports by calls");
            return new Memory(opened, kernels.bytes.get(), heapOf(handles.get(0)));
        }
    }

    private static long allocated(final LoopbackNetwork out, final LoopbackNetwork up)
    {
        return up.bytesAllocated() + (out == up ? 0 : out.bytesAllocated());
    }

    /** Bytes of all arrays that a handle reaches, of the engine's own objects. */
    private static long heapOf(final Object root)
    {
        final Set<Object> seen = Collections.newSetFromMap(new IdentityHashMap<>());
        final Deque<Object> open = new ArrayDeque<>(List.of(root));
        long bytes = 0;
        while (!open.isEmpty())
        {
            final Object next = open.pop();
            if (!seen.add(next))
            {
                continue;
            }

            final Class<?> type = next.getClass();
            if (type.isArray() && type.getComponentType().isPrimitive())
            {
                bytes += Array.getLength(next) * (long)bytesOf(type.getComponentType());
            }
            else if (type.isArray())
            {
                Arrays.stream((Object[])next).filter((element) -> null != element).forEach(open::add);
            }
            else if (type.getName().startsWith("dev.transload.engine.internal.plan.") &&
                !type.getName().endsWith("PlanPool"))
            {
                addFields(next, open);
            }
        }

        return bytes;
    }

    private static int bytesOf(final Class<?> primitive)
    {
        return byte.class == primitive || boolean.class == primitive ? 1 :
            short.class == primitive || char.class == primitive ? Short.BYTES :
            int.class == primitive || float.class == primitive ? Integer.BYTES : Long.BYTES;
    }

    private static void addFields(final Object owner, final Deque<Object> open)
    {
        try
        {
            for (final Field field : owner.getClass().getDeclaredFields())
            {
                if (!field.getType().isPrimitive() && !Modifier.isStatic(field.getModifiers()))
                {
                    field.setAccessible(true);
                    final Object value = field.get(owner);
                    if (null != value)
                    {
                        open.add(value);
                    }
                }
            }
        }
        catch (final IllegalAccessException ex)
        {
            throw new AssertionError(ex);
        }
    }

    /** What the engines of a world, or a handle of one, take. */
    private record Memory(long transport, long kernels, long handle)
    {
    }

    /** Row kernels that count the memory which they are asked for. */
    private static final class CountedKernels extends InterceptedKernels
    {
        private final AtomicLong bytes = new AtomicLong();

        private CountedKernels(final boolean isHost)
        {
            super(isHost ? new HostRowKernelsProvider() : new LoopbackKernelsProvider());
        }

        @Override
        protected Object answer(final RowKernels kernels, final Method method, final Object[] arguments)
            throws Throwable
        {
            final Object result = super.answer(kernels, method, arguments);
            if (result instanceof RowTable)
            {
                bytes.addAndGet(((RowTable)result).memory().capacity());
            }
            else if (result instanceof RowList)
            {
                bytes.addAndGet(((RowList)result).memory().capacity());
            }

            return result;
        }
    }
}
