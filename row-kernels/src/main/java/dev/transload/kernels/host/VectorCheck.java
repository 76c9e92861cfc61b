/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.kernels.host;

import dev.transload.kernels.ElementType;
import dev.transload.kernels.Fp8;
import dev.transload.kernels.ScaleFormat;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/**
 * Checks an arithmetic before it is trusted: it must give the bits of the scalar one, and allocate nothing once the JVM
 * has compiled it. A JVM that boxes vectors is slower with them than without.
 */
final class VectorCheck
{
    private static final long DEADLINE_NS = TimeUnit.SECONDS.toNanos(60);
    private static final long PAUSE_NS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final int CALLS = 128;
    private static final int QUIET_ROUNDS = 4;
    private static final int HIDDEN = 2 * Fp8.GROUP;
    private static final int ROW_BYTES = HIDDEN * Float.BYTES;
    private static final int SOURCES = EightRowKernels.ROWS;
    private static final int FEW_SOURCES = 3;
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

    private final ScalarArithmetic scalar = new ScalarArithmetic();

    private record Probe(VectorForm form, String name, Consumer<RowArithmetic> call)
    {
    }

    /**
     * Check an arithmetic.
     *
     * @param arithmetic to check, used by nothing else.
     */
    VectorCheck(final RowArithmetic arithmetic)
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
     * Compare the bits of a few small rows, in whatever state the JVM's compiler is.
     *
     * @return null if they are those of scalar code, else one clause that says what is wrong.
     */
    String failure()
    {
        for (final Probe probe : probes())
        {
            if (!hasBitsOfScalar(probe))
            {
                return probe.name() + " gives other bits than scalar code";
            }
        }

        return null;
    }

    /**
     * Drive a form until it is compiled.
     *
     * @param form to drive.
     * @return null if it then allocates nothing and gives the bits of scalar code, else one clause.
     */
    String failureOnceCompiled(final VectorForm form)
    {
        final long deadlineNs = System.nanoTime() + DEADLINE_NS;
        for (final Probe probe : probes())
        {
            if (probe.form() == form && !fallsQuiet(probe, deadlineNs))
            {
                return probe.name() + " keeps allocating";
            }

            if (probe.form() == form && !hasBitsOfScalar(probe))
            {
                return probe.name() + " gives other bits than scalar code once it is compiled";
            }
        }

        return null;
    }

    private boolean hasBitsOfScalar(final Probe probe)
    {
        return Arrays.equals(resultOf(probe, scalar), resultOf(probe, arithmetic));
    }

    private List<Probe> probes()
    {
        final ElementType bf16 = ElementType.BF16;
        final ElementType f32 = ElementType.F32;

        return List.of(
            new Probe(VectorForm.SUM_OF_ONE, "sum of one row", this::sumOneRow),
            sum("sum of 8 rows", VectorForm.SUM_OF_EIGHT, bf16, bf16, null, SOURCES),
            sum("sum of 8 rows and a bias", VectorForm.SUM_OF_MORE, bf16, bf16, otherView, SOURCES),
            sum("sum of 3 rows", VectorForm.SUM_OF_WINDOW, bf16, bf16, null, FEW_SOURCES),
            sum("sum of 3 rows and a bias", VectorForm.SUM_OF_WINDOWS, bf16, bf16, otherView, FEW_SOURCES),
            new Probe(VectorForm.SUM_AFTER_PART, "sum of a part and 3 rows", this::sumPartAndRows),
            sum("sum of BF16 rows to F32", VectorForm.SUM_OF_LANES, bf16, f32, view, SOURCES),
            sum("sum of F32 rows", VectorForm.SUM_OF_LANES, f32, f32, view, SOURCES),
            sum("sum of F32 rows to BF16", VectorForm.SUM_OF_LANES, f32, bf16, view, SOURCES),
            new Probe(VectorForm.TO_FP8, "cast of finite values", (called) -> called.quantize(
                view, 0, view, TARGET_OFFSET, view.addressOf(SCALES_OFFSET), HIDDEN, ScaleFormat.AMAX)),
            new Probe(VectorForm.TO_FP8, "cast of infinities and NaNs", (called) -> called.quantize(
                view, (long)SPECIAL_ROW * ROW_BYTES, view, TARGET_OFFSET, view.addressOf(SCALES_OFFSET), HIDDEN,
                ScaleFormat.POWER_OF_TWO)),
            new Probe(VectorForm.FROM_FP8, "cast from FP8", (called) -> called.dequantize(
                view, 0, view, TARGET_OFFSET, view.addressOf(SCALES_OFFSET), HIDDEN)));
    }

    private Probe sum(
        final String name, final VectorForm form, final ElementType sourceType, final ElementType targetType,
        final RegionView bias, final int count)
    {
        return new Probe(form, name, (summing) ->
        {
            sources.begin(true);
            if (null != bias)
            {
                sources.addBias(bias, 0);
            }

            for (int row = SOURCES - count; row < SOURCES; row++)
            {
                sources.addSource(view, sourceType, (long)row * ROW_BYTES, 0.25f + row);
            }

            summing.reduce(sources, view, TARGET_OFFSET, targetType, HIDDEN);
        });
    }

    private void sumOneRow(final RowArithmetic summing)
    {
        sources.begin(false);
        sources.addSource(view, ElementType.BF16, (long)SPECIAL_ROW * ROW_BYTES, 1.0f);
        summing.reduce(sources, view, TARGET_OFFSET, ElementType.BF16, HIDDEN);
    }

    private void sumPartAndRows(final RowArithmetic summing)
    {
        sources.begin(false);
        for (int row = 0; row < SOURCES; row++)
        {
            sources.addSource(0 == row % 2 ? view : otherView, ElementType.BF16, (long)row * ROW_BYTES, 1.0f);
            if (row + 1 == SOURCES - FEW_SOURCES)
            {
                sources.round();
            }
        }

        summing.reduce(sources, view, TARGET_OFFSET, ElementType.BF16, HIDDEN);
    }

    private byte[] resultOf(final Probe probe, final RowArithmetic checked)
    {
        probe.call().accept(checked);
        checked.flush();
        final byte[] result = new byte[MEMORY_BYTES - (int)SCALES_OFFSET];
        memory.get((int)SCALES_OFFSET, result);

        return result;
    }

    private boolean fallsQuiet(final Probe probe, final long deadlineNs)
    {
        for (int quietRounds = 0; quietRounds < QUIET_ROUNDS;)
        {
            final long before = AllocationWatch.allocatedBytes();
            for (int call = 0; call < CALLS; call++)
            {
                probe.call().accept(arithmetic);
            }

            quietRounds = AllocationWatch.allocatedBytes() == before ? quietRounds + 1 : 0;
            if (System.nanoTime() - deadlineNs > 0)
            {
                return false;
            }

            // The compiler needs the processor, too.
            LockSupport.parkNanos(PAUSE_NS);
        }

        return true;
    }
}
