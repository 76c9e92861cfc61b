/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.kernels;

import dev.transload.spi.MemoryRegion;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * What a submission of a step names. Mutable, so that a caller keeps one and allocates nothing; copied on submission.
 * Native code reads the struct by address, in native byte order:
 * <pre>
 * {@link #X}         x          u64  address of [T][hidden] BF16
 * {@link #IDS}         ids        u64  address of [T][K], I32 or I64
 * {@link #WEIGHTS}        weights    u64  address of [T][K] F32
 * {@link #COMBINED}        combined   u64  address of [T][hidden] BF16
 * {@link #LEFT_OUT}        leftOut    u64  address of [T][K] u8: 1 where a selection was left out; 0 for none
 * {@link #TOKENS_AT}        tokensAt   u64  address of an i32 with T, which then counts; 0 for none
 * {@link #TOKENS}        tokens     i32  T, or the most that tokensAt may hold
 * {@link #TOPK}        topk       i32  K
 * {@link #HIDDEN}        hidden     i32
 * {@link #EXPERTS}        experts    i32  E
 * {@link #ID_BYTES}        idBytes    i32  4 or 8
 * {@link #OUTPUT}        output     i32  number of the own output
 * {@link #ANSWERS}        answers    i32  number of the own answers tensor
 * {@link #IS_FP8}        isFp8      i32  1 where rows are cast
 * {@link #FORMAT}        format     i32  ordinal of ScaleFormat
 * {@link #SCALES}        scales     i32  ordinal of StepScales
 * {@link #PLACEMENT}        placement  i32  ordinal of StepPlacement
 * </pre>
 * A dispatch reads all but weights, combined, leftOut and answers. A combine reads these; its T, K, E and hidden must
 * be those of its dispatch.
 */
public final class StepArguments
{
    /** Of x. */
    public static final int X = 0;

    /** Of the ids. */
    public static final int IDS = 8;

    /** Of the weights. */
    public static final int WEIGHTS = 16;

    /** Of the combined tokens. */
    public static final int COMBINED = 24;

    /** Of what was left out. */
    public static final int LEFT_OUT = 32;

    /** Of the address of the number of tokens. */
    public static final int TOKENS_AT = 40;

    /** Of the number of tokens. */
    public static final int TOKENS = 48;

    /** Of K. */
    public static final int TOPK = 52;

    /** Of the elements of a row. */
    public static final int HIDDEN = 56;

    /** Of E. */
    public static final int EXPERTS = 60;

    /** Of the bytes of an id. */
    public static final int ID_BYTES = 64;

    /** Of the output's number. */
    public static final int OUTPUT = 68;

    /** Of the answers' number. */
    public static final int ANSWERS = 72;

    /** Of the mark that rows are cast. */
    public static final int IS_FP8 = 76;

    /** Of the format of scales. */
    public static final int FORMAT = 80;

    /** Of the layout of scales. */
    public static final int SCALES = 84;

    /** Of the placement. */
    public static final int PLACEMENT = 88;

    /** Size of the struct. */
    public static final int BYTES = 96;

    private static final ScaleFormat[] FORMATS = ScaleFormat.values();
    private static final StepScales[] LAYOUTS = StepScales.values();
    private static final StepPlacement[] PLACEMENTS = StepPlacement.values();

    private final ByteBuffer memory = ByteBuffer.allocateDirect(BYTES).order(ByteOrder.nativeOrder());
    /** By the offset of the address, divided by its size: regions, and offsets in them. */
    private final MemoryRegion[] regions = new MemoryRegion[TOKENS / Long.BYTES];
    private final long[] offsets = new long[TOKENS / Long.BYTES];

    private void set(final int field, final MemoryRegion region, final long offset)
    {
        regions[field / Long.BYTES] = region;
        offsets[field / Long.BYTES] = offset;
        memory.putLong(field, null == region ? 0 : region.address() + offset);
    }

    /**
     * Rows to dispatch.
     *
     * @param region of the rows' kind.
     * @param offset of the first row.
     * @param tokens T.
     * @param hidden elements of a row, a multiple of 128.
     * @return this.
     */
    public StepArguments x(final MemoryRegion region, final long offset, final int tokens, final int hidden)
    {
        set(X, region, offset);
        memory.putInt(TOKENS, tokens).putInt(HIDDEN, hidden);
        return this;
    }

    /**
     * Selections.
     *
     * @param region  of the control kind.
     * @param offset  of the first id.
     * @param idBytes 4 for I32, 8 for I64.
     * @param topk    K.
     * @param experts E.
     * @return this.
     */
    public StepArguments ids(
        final MemoryRegion region, final long offset, final int idBytes, final int topk, final int experts)
    {
        set(IDS, region, offset);
        memory.putInt(ID_BYTES, idBytes).putInt(TOPK, topk).putInt(EXPERTS, experts);
        return this;
    }

    /**
     * Have the number of tokens read when a step runs, at most that of {@link #x}.
     *
     * @param region of the control kind; null to take that of {@link #x}.
     * @param offset of an i32.
     * @return this.
     */
    public StepArguments tokensAt(final MemoryRegion region, final long offset)
    {
        set(TOKENS_AT, region, offset);
        return this;
    }

    /**
     * Where received rows go, as they are.
     *
     * @param output number of the own output.
     * @param where  rows are written.
     * @return this.
     */
    public StepArguments bf16(final int output, final StepPlacement where)
    {
        memory.putInt(OUTPUT, output).putInt(IS_FP8, 0).putInt(PLACEMENT, where.ordinal());
        return this;
    }

    /**
     * Where received rows go, cast to FP8.
     *
     * @param output number of the own output.
     * @param where  rows are written.
     * @param format of the scales.
     * @param scales their layout.
     * @return this.
     */
    public StepArguments fp8(
        final int output, final StepPlacement where, final ScaleFormat format, final StepScales scales)
    {
        if (scales.isPacked() && ScaleFormat.POWER_OF_TWO != format)
        {
            throw new IllegalArgumentException(
                "scales = " + scales + " with format = " + format + " is not allowed: must be POWER_OF_TWO");
        }

        memory.putInt(OUTPUT, output).putInt(IS_FP8, 1).putInt(PLACEMENT, where.ordinal())
            .putInt(FORMAT, format.ordinal()).putInt(SCALES, scales.ordinal());
        return this;
    }

    /**
     * Answers of the own experts, and their weights.
     *
     * @param number  of the own answers tensor.
     * @param weights of the control kind.
     * @param offset  of the first weight.
     * @return this.
     */
    public StepArguments answers(final int number, final MemoryRegion weights, final long offset)
    {
        memory.putInt(ANSWERS, number);
        set(WEIGHTS, weights, offset);
        return this;
    }

    /**
     * Where sums go.
     *
     * @param region of the rows' kind.
     * @param offset of the first row.
     * @return this.
     */
    public StepArguments combined(final MemoryRegion region, final long offset)
    {
        set(COMBINED, region, offset);
        return this;
    }

    /**
     * Where a combine says what it left out.
     *
     * @param region of the control kind; null for nowhere.
     * @param offset of the first byte.
     * @return this.
     */
    public StepArguments leftOut(final MemoryRegion region, final long offset)
    {
        set(LEFT_OUT, region, offset);
        return this;
    }

    /**
     * Become a copy of others.
     *
     * @param other arguments.
     * @return this.
     */
    public StepArguments set(final StepArguments other)
    {
        memory.put(0, other.memory, 0, BYTES);
        System.arraycopy(other.regions, 0, regions, 0, regions.length);
        System.arraycopy(other.offsets, 0, offsets, 0, offsets.length);
        return this;
    }

    /**
     * Refuse what no step of a session can do; for implementations.
     *
     * @param shape      of the session.
     * @param isDispatch whether the program begins a call.
     */
    public void check(final StepShape shape, final boolean isDispatch)
    {
        if (isDispatch)
        {
            within("T", tokens(), 0, shape.maxTokens());
            within("K", topk(), 1, shape.maxTopk());
            within("E", experts(), 1, shape.maxExperts());
            within("hidden", hidden(), Fp8.GROUP, shape.maxHidden());
            if (0 != hidden() % Fp8.GROUP || Integer.BYTES != idBytes() && Long.BYTES != idBytes())
            {
                throw new IllegalArgumentException("hidden = " + hidden() + ", ids of " + idBytes() +
                    " bytes: hidden must be a multiple of " + Fp8.GROUP + ", ids of 4 or 8 bytes");
            }

            holds("x", X, (long)tokens() * hidden() * ElementType.BF16.bytes());
            holds("ids", IDS, (long)tokens() * topk() * idBytes());
        }
        else
        {
            holds("weights", WEIGHTS, (long)tokens() * topk() * Float.BYTES);
            holds("combined", COMBINED, (long)tokens() * hidden() * ElementType.BF16.bytes());
        }

        if (null != region(TOKENS_AT))
        {
            holds("tokensAt", TOKENS_AT, Integer.BYTES);
        }

        if (null != region(LEFT_OUT))
        {
            holds("leftOut", LEFT_OUT, (long)tokens() * topk());
        }
    }

    private static void within(final String name, final int value, final int least, final int most)
    {
        if (value < least || value > most)
        {
            throw new IllegalArgumentException(
                name + " = " + value + " is not allowed: must be in [" + least + ", " + most + "]");
        }
    }

    private void holds(final String name, final int field, final long bytes)
    {
        final MemoryRegion region = region(field);
        if (null == region || offset(field) < 0 || bytes > region.length() - offset(field))
        {
            throw new IllegalArgumentException(name + " has " + bytes + " bytes at " + offset(field) + " of " +
                (null == region ? "no region" : "a region of " + region.length()) + ": must lie within one");
        }
    }

    /**
     * The struct.
     *
     * @return direct buffer of {@link #BYTES}.
     */
    public ByteBuffer memory()
    {
        return memory;
    }

    /**
     * Region that an address lies in.
     *
     * @param field offset of the address, {@link #X} to {@link #TOKENS_AT}.
     * @return region, null for none.
     */
    public MemoryRegion region(final int field)
    {
        return regions[field / Long.BYTES];
    }

    /**
     * Where in its region an address lies.
     *
     * @param field offset of the address, {@link #X} to {@link #TOKENS_AT}.
     * @return offset.
     */
    public long offset(final int field)
    {
        return offsets[field / Long.BYTES];
    }

    /**
     * Number of tokens.
     *
     * @return T.
     */
    public int tokens()
    {
        return memory.getInt(TOKENS);
    }

    /**
     * Selections of a token.
     *
     * @return K.
     */
    public int topk()
    {
        return memory.getInt(TOPK);
    }

    /**
     * Elements of a row.
     *
     * @return hidden.
     */
    public int hidden()
    {
        return memory.getInt(HIDDEN);
    }

    /**
     * Experts.
     *
     * @return E.
     */
    public int experts()
    {
        return memory.getInt(EXPERTS);
    }

    /**
     * Size of an id.
     *
     * @return 4 or 8.
     */
    public int idBytes()
    {
        return memory.getInt(ID_BYTES);
    }

    /**
     * Number of the own output.
     *
     * @return number.
     */
    public int output()
    {
        return memory.getInt(OUTPUT);
    }

    /**
     * Number of the own answers tensor.
     *
     * @return number.
     */
    public int answers()
    {
        return memory.getInt(ANSWERS);
    }

    /**
     * Whether rows are cast.
     *
     * @return true for FP8.
     */
    public boolean isFp8()
    {
        return 0 != memory.getInt(IS_FP8);
    }

    /**
     * Format of scales.
     *
     * @return format.
     */
    public ScaleFormat format()
    {
        return FORMATS[memory.getInt(FORMAT)];
    }

    /**
     * Layout of scales.
     *
     * @return layout.
     */
    public StepScales scales()
    {
        return LAYOUTS[memory.getInt(SCALES)];
    }

    /**
     * Where rows are written.
     *
     * @return placement.
     */
    public StepPlacement placement()
    {
        return PLACEMENTS[memory.getInt(PLACEMENT)];
    }
}
