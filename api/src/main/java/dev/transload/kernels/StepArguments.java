/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.kernels;

import dev.transload.spi.MemoryRegion;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Arguments of one submission of a step. The object is mutable, so that a caller can reuse it without allocation; a
 * submission copies it. T is the number of tokens of this rank, K is the number of selections of a token, and E is the
 * number of experts. Native code reads the following struct by its address. All fields are in native byte order:
 * <pre>
 * {@link #X}         x          u64  address of [T][hidden] BF16
 * {@link #IDS}         ids        u64  address of [T][K], I32 or I64
 * {@link #WEIGHTS}        weights    u64  address of [T][K] F32
 * {@link #COMBINED}        combined   u64  address of [T][hidden] BF16
 * {@link #LEFT_OUT}        leftOut    u64  address of [T][K] u8, 1 for a left-out selection; address 0 for no marks
 * {@link #TOKENS_AT}        tokensAt   u64  address of an i32 that holds T; address 0 if the field tokens holds T
 * {@link #TOKENS}        tokens     i32  T, or the largest T that the i32 at tokensAt may hold
 * {@link #TOPK}        topk       i32  K
 * {@link #HIDDEN}        hidden     i32
 * {@link #EXPERTS}        experts    i32  E
 * {@link #ID_BYTES}        idBytes    i32  4 or 8
 * {@link #OUTPUT}        output     i32  number of this rank's output
 * {@link #ANSWERS}        answers    i32  number of this rank's answers tensor
 * {@link #IS_FP8}        isFp8      i32  1 if rows are cast to FP8
 * {@link #FORMAT}        format     i32  ordinal of ScaleFormat
 * {@link #SCALES}        scales     i32  ordinal of StepScales
 * {@link #PLACEMENT}        placement  i32  ordinal of StepPlacement
 * </pre>
 * A dispatch reads all fields except weights, combined, leftOut and answers. A combine reads weights, combined, leftOut
 * and answers; T, K, E and hidden of the combine must equal those of its dispatch.
 */
public final class StepArguments
{
    /** Offset of the address of the rows to dispatch. */
    public static final int X = 0;

    /** Offset of the address of the ids. */
    public static final int IDS = 8;

    /** Offset of the address of the weights. */
    public static final int WEIGHTS = 16;

    /** Offset of the address of the combined tokens. */
    public static final int COMBINED = 24;

    /** Offset of the address of the marks of left-out selections. */
    public static final int LEFT_OUT = 32;

    /** Offset of the address of the number of tokens. */
    public static final int TOKENS_AT = 40;

    /** Offset of the number of tokens. */
    public static final int TOKENS = 48;

    /** Offset of K, the number of selections of a token. */
    public static final int TOPK = 52;

    /** Offset of the number of elements of a row. */
    public static final int HIDDEN = 56;

    /** Offset of E, the number of experts. */
    public static final int EXPERTS = 60;

    /** Offset of the number of bytes of an id. */
    public static final int ID_BYTES = 64;

    /** Offset of the number of this rank's output ({@link StepSession#output}). */
    public static final int OUTPUT = 68;

    /** Offset of the number of this rank's answers tensor ({@link StepSession#answers}). */
    public static final int ANSWERS = 72;

    /** Offset of the field that is 1 if rows are cast to FP8. */
    public static final int IS_FP8 = 76;

    /** Offset of the ordinal of the format of scales. */
    public static final int FORMAT = 80;

    /** Offset of the ordinal of the layout of scales. */
    public static final int SCALES = 84;

    /** Offset of the ordinal of the placement. */
    public static final int PLACEMENT = 88;

    /** Size of the struct in bytes. */
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
     * Sets the rows to dispatch.
     *
     * @param region region with the memory kind of the session's rows.
     * @param offset byte offset of the first row in the region.
     * @param tokens T, number of tokens.
     * @param hidden number of elements of a row, a multiple of 128.
     * @return this.
     */
    public StepArguments x(final MemoryRegion region, final long offset, final int tokens, final int hidden)
    {
        set(X, region, offset);
        memory.putInt(TOKENS, tokens).putInt(HIDDEN, hidden);
        return this;
    }

    /**
     * Sets the selections.
     *
     * @param region  region in memory of {@link StepMemory#controlKind()}.
     * @param offset  byte offset of the first id in the region.
     * @param idBytes size of an id: 4 for I32, 8 for I64.
     * @param topk    K, number of selections of a token.
     * @param experts E, number of experts.
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
     * Sets memory from which a step reads the number of tokens when the step runs. The number must be at most the
     * number of tokens that was passed to {@link #x}.
     *
     * @param region region in memory of {@link StepMemory#controlKind()}; null to use the number that was passed to
     *               {@link #x}.
     * @param offset byte offset of an i32 in the region.
     * @return this.
     */
    public StepArguments tokensAt(final MemoryRegion region, final long offset)
    {
        set(TOKENS_AT, region, offset);
        return this;
    }

    /**
     * Sets the output for received rows. The rows stay BF16.
     *
     * @param output number of this rank's output ({@link StepSession#output}).
     * @param where  where the source ranks write rows.
     * @return this.
     */
    public StepArguments bf16(final int output, final StepPlacement where)
    {
        memory.putInt(OUTPUT, output).putInt(IS_FP8, 0).putInt(PLACEMENT, where.ordinal());
        return this;
    }

    /**
     * Sets the output for received rows. The dispatch casts the rows to FP8.
     *
     * @param output number of this rank's output ({@link StepSession#output}).
     * @param where  where the source ranks write rows.
     * @param format format of the scales.
     * @param scales layout of the scales.
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
     * Sets the answers of this rank's experts, and the weights of the answers to this rank's tokens.
     *
     * @param number  number of this rank's answers tensor ({@link StepSession#answers}).
     * @param weights region of the weights, in memory of {@link StepMemory#controlKind()}.
     * @param offset  byte offset of the first weight in the region.
     * @return this.
     */
    public StepArguments answers(final int number, final MemoryRegion weights, final long offset)
    {
        memory.putInt(ANSWERS, number);
        set(WEIGHTS, weights, offset);
        return this;
    }

    /**
     * Sets the memory for combined rows.
     *
     * @param region region with the memory kind of the session's rows.
     * @param offset byte offset of the first row in the region.
     * @return this.
     */
    public StepArguments combined(final MemoryRegion region, final long offset)
    {
        set(COMBINED, region, offset);
        return this;
    }

    /**
     * Sets the memory in which a combine marks left-out selections.
     *
     * @param region region in memory of {@link StepMemory#controlKind()}; null to store no marks.
     * @param offset byte offset of the first mark in the region.
     * @return this.
     */
    public StepArguments leftOut(final MemoryRegion region, final long offset)
    {
        set(LEFT_OUT, region, offset);
        return this;
    }

    /**
     * Makes these arguments a copy of other arguments.
     *
     * @param other arguments to copy.
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
     * Throws an exception if a program of a session cannot run with these arguments; implementations call this method.
     *
     * @param shape      shape of the session.
     * @param isDispatch true if the program begins a call, false if it is a combine.
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
     * Returns the memory of the struct.
     *
     * @return direct buffer of {@link #BYTES} bytes.
     */
    public ByteBuffer memory()
    {
        return memory;
    }

    /**
     * Returns the region in which an address lies.
     *
     * @param field offset of the address in the struct, {@link #X} to {@link #TOKENS_AT}.
     * @return region, null if the address is not set.
     */
    public MemoryRegion region(final int field)
    {
        return regions[field / Long.BYTES];
    }

    /**
     * Returns the offset of an address in its region.
     *
     * @param field offset of the address in the struct, {@link #X} to {@link #TOKENS_AT}.
     * @return offset in bytes.
     */
    public long offset(final int field)
    {
        return offsets[field / Long.BYTES];
    }

    /**
     * Returns the number of tokens.
     *
     * @return T.
     */
    public int tokens()
    {
        return memory.getInt(TOKENS);
    }

    /**
     * Returns the number of selections of a token.
     *
     * @return K.
     */
    public int topk()
    {
        return memory.getInt(TOPK);
    }

    /**
     * Returns the number of elements of a row.
     *
     * @return hidden.
     */
    public int hidden()
    {
        return memory.getInt(HIDDEN);
    }

    /**
     * Returns the number of experts.
     *
     * @return E.
     */
    public int experts()
    {
        return memory.getInt(EXPERTS);
    }

    /**
     * Returns the size of an id.
     *
     * @return 4 or 8 bytes.
     */
    public int idBytes()
    {
        return memory.getInt(ID_BYTES);
    }

    /**
     * Returns the number of this rank's output ({@link StepSession#output}).
     *
     * @return number.
     */
    public int output()
    {
        return memory.getInt(OUTPUT);
    }

    /**
     * Returns the number of this rank's answers tensor ({@link StepSession#answers}).
     *
     * @return number.
     */
    public int answers()
    {
        return memory.getInt(ANSWERS);
    }

    /**
     * Returns whether rows are cast to FP8.
     *
     * @return true if rows are cast, false if they stay BF16.
     */
    public boolean isFp8()
    {
        return 0 != memory.getInt(IS_FP8);
    }

    /**
     * Returns the format of scales.
     *
     * @return format.
     */
    public ScaleFormat format()
    {
        return FORMATS[memory.getInt(FORMAT)];
    }

    /**
     * Returns the layout of scales.
     *
     * @return layout.
     */
    public StepScales scales()
    {
        return LAYOUTS[memory.getInt(SCALES)];
    }

    /**
     * Returns where the source ranks write rows.
     *
     * @return placement.
     */
    public StepPlacement placement()
    {
        return PLACEMENTS[memory.getInt(PLACEMENT)];
    }
}
