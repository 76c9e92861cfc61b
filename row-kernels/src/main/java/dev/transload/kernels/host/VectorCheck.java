/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.kernels.host;

import com.sun.management.ThreadMXBean;
import dev.transload.kernels.ElementType;
import dev.transload.kernels.Fp8;
import dev.transload.kernels.ScaleFormat;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Checks an arithmetic before it is trusted, and warms it up on the way: it must give the bits of the scalar one, and
 * allocate nothing once the JVM has compiled it. A JVM that boxes vectors is slower with them than without.
 */
final class VectorCheck
{
    private static final long DEADLINE_NS = TimeUnit.SECONDS.toNanos(20);
    private static final int CALLS = 32;
    private static final int QUIET_ROUNDS = 4;
    private static final int HIDDEN = 4 * Fp8.GROUP;
    private static final int ROW_BYTES = HIDDEN * Float.BYTES;
    private static final int SOURCES = 8;
    private static final int SPECIAL_ROW = SOURCES - 1;
    private static final long SCALES_OFFSET = (long)SOURCES * ROW_BYTES;
    private static final long TARGET_OFFSET = SCALES_OFFSET + ROW_BYTES;
    private static final int MEMORY_BYTES = (int)TARGET_OFFSET + ROW_BYTES;

    /** Infinity, NaN, negative zero and a subnormal, in BF16. */
    private static final short[] SPECIALS = {0x7F80, (short)0xFF81, (short)0x8000, 0x0001};

    private final RowArithmetic arithmetic;
    private final ByteBuffer memory = ByteBuffer.allocateDirect(MEMORY_BYTES).order(ByteOrder.nativeOrder());
    private final RegionView view;
    private final RegionView otherView;
    private final SourceRows sources = new SourceRows();

    private record Probe(String name, Consumer<RowArithmetic> call)
    {
    }

    private VectorCheck(final RowArithmetic arithmetic)
    {
        this.arithmetic = arithmetic;
        view = new RegionView(memory, arithmetic::windowOf);
        otherView = new RegionView(memory, arithmetic::windowOf);

        for (int i = 0; i < TARGET_OFFSET / Bf16.BYTES; i++)
        {
            final boolean isSpecial = i * Bf16.BYTES / ROW_BYTES == SPECIAL_ROW;
            memory.putShort(i * Bf16.BYTES, isSpecial ?
                SPECIALS[i % SPECIALS.length] : (short)Bf16.fromFloat((i * 7919 % 2003 - 1001) / 64.0f));
        }
    }

    /**
     * Check an arithmetic; takes seconds, most of them the compiler's.
     *
     * @param arithmetic to check.
     * @return null if it works, else one clause that says what is wrong.
     */
    static String failureOf(final RowArithmetic arithmetic)
    {
        return new VectorCheck(arithmetic).failure();
    }

    private String failure()
    {
        if (!(ManagementFactory.getThreadMXBean() instanceof ThreadMXBean threads) ||
            !threads.isThreadAllocatedMemorySupported())
        {
            return "this JVM does not tell what a thread allocates, so whether vectors are boxed stays unknown";
        }

        final long deadlineNs = System.nanoTime() + DEADLINE_NS;
        final ScalarArithmetic scalar = new ScalarArithmetic();
        for (final Probe probe : probes())
        {
            final byte[] expected = resultOf(probe, scalar);
            if (!Arrays.equals(expected, resultOf(probe, arithmetic)))
            {
                return probe.name() + " gives other bits than scalar code";
            }

            if (!fallsQuiet(probe, threads, deadlineNs))
            {
                return probe.name() + " keeps allocating";
            }

            if (!Arrays.equals(expected, resultOf(probe, arithmetic)))
            {
                return probe.name() + " gives other bits than scalar code once it is compiled";
            }
        }

        return null;
    }

    private List<Probe> probes()
    {
        return List.of(
            new Probe("sum of BF16 rows", (a) -> reduce(a, view, ElementType.BF16, ElementType.BF16)),
            new Probe("sum of BF16 rows and biases", (a) -> reduce(a, otherView, ElementType.BF16, ElementType.BF16)),
            new Probe("sum of BF16 rows to F32", (a) -> reduce(a, view, ElementType.BF16, ElementType.F32)),
            new Probe("sum of F32 rows", (a) -> reduce(a, view, ElementType.F32, ElementType.F32)),
            new Probe("sum of F32 rows to BF16", (a) -> reduce(a, view, ElementType.F32, ElementType.BF16)),
            new Probe("cast to FP8", (a) ->
                a.quantize(view, 0, view, TARGET_OFFSET, view.addressOf(SCALES_OFFSET), HIDDEN, ScaleFormat.AMAX)),
            new Probe("cast of infinities and NaNs to FP8", (a) -> a.quantize(
                view, (long)SPECIAL_ROW * ROW_BYTES, view, TARGET_OFFSET, view.addressOf(SCALES_OFFSET), HIDDEN,
                ScaleFormat.POWER_OF_TWO)),
            new Probe("cast from FP8", (a) ->
                a.dequantize(view, 0, view, TARGET_OFFSET, view.addressOf(SCALES_OFFSET), HIDDEN)));
    }

    private void reduce(
        final RowArithmetic summing, final RegionView biases, final ElementType sourceType,
        final ElementType targetType)
    {
        sources.begin(sourceType, true);
        sources.addBias(biases, 0);
        for (int row = 0; row < SOURCES; row++)
        {
            sources.addSource(view, (long)row * ROW_BYTES, 0.25f + row);
        }

        summing.reduce(sources, view, TARGET_OFFSET, targetType, HIDDEN);
    }

    private byte[] resultOf(final Probe probe, final RowArithmetic checked)
    {
        probe.call().accept(checked);
        final byte[] result = new byte[MEMORY_BYTES - (int)SCALES_OFFSET];
        memory.get((int)SCALES_OFFSET, result);

        return result;
    }

    private boolean fallsQuiet(final Probe probe, final ThreadMXBean threads, final long deadlineNs)
    {
        for (int quietRounds = 0; quietRounds < QUIET_ROUNDS;)
        {
            final long before = threads.getCurrentThreadAllocatedBytes();
            for (int call = 0; call < CALLS; call++)
            {
                probe.call().accept(arithmetic);
            }

            quietRounds = threads.getCurrentThreadAllocatedBytes() == before ? quietRounds + 1 : 0;
            if (System.nanoTime() - deadlineNs > 0)
            {
                return false;
            }
        }

        return true;
    }
}
