/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.kernels;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Status of the steps of a session, in host memory that the device writes. This is the layout, in native byte order:
 * <pre>
 * {@link #ENDED}   ended     i64  number of steps that have ended; stored last, with release semantics
 * {@link #CALL}   call      i64  number of the latest call
 * {@link #BAD_IDS}  badIds    i32  selections that the latest dispatch left out because their ids are not allowed
 * {@link #LEFT_OUT}  leftOut   i32  selections that the latest combine left out
 * {@link #BEGIN_NS}  beginNs   i64  clock of the device when the latest step began
 * {@link #END_NS}  endNs     i64  clock of the device when the latest step ended
 * {@link #RANKS}  by rank   i32  state: 0 active, else why it is masked | i32 ordinal of the StepOp that waited
 * </pre>
 * If a step has several blocks, states of ranks may change before the step has ended.
 */
public final class StepStatus
{
    /** Offset of the number of ended steps. */
    public static final int ENDED = 0;

    /** Offset of the number of the latest call. */
    public static final int CALL = 8;

    /** Offset of the number of bad ids. */
    public static final int BAD_IDS = 16;

    /** Offset of the number of left-out selections. */
    public static final int LEFT_OUT = 20;

    /** Offset of the time at which the latest step began. */
    public static final int BEGIN_NS = 24;

    /** Offset of the time at which the latest step ended. */
    public static final int END_NS = 32;

    /** Offset of the states of ranks. */
    public static final int RANKS = 64;

    /** Number of bytes of a rank's state. */
    public static final int RANK_BYTES = 8;

    /** State of an active rank. */
    public static final int ACTIVE = 0;

    /** State of a rank that was masked by {@link StepSession#mask}. */
    public static final int ASKED = 1;

    /** State of a rank that was masked because a wait for it timed out. */
    public static final int SILENT = 2;

    /**
     * State of a rank that was masked because this rank was too late to use the places or answers that the masked rank
     * had granted.
     */
    public static final int LATE = 3;

    /** State of a rank that was masked because its call differed from this rank's call. */
    public static final int OTHER_CALL = 4;

    private static final VarHandle LONGS =
        MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.nativeOrder());

    private final ByteBuffer memory;
    private final int ranks;

    /**
     * Creates a status in memory that a device can write.
     *
     * @param memory direct buffer with at least as many bytes as {@link #bytes} returns, aligned to 8 bytes.
     * @param ranks  P, number of ranks.
     */
    public StepStatus(final ByteBuffer memory, final int ranks)
    {
        this.memory = memory.duplicate().order(ByteOrder.nativeOrder());
        this.ranks = ranks;
        if (memory.capacity() < bytes(ranks))
        {
            throw new IllegalArgumentException(
                "memory holds " + memory.capacity() + " bytes: must hold " + bytes(ranks));
        }
    }

    /**
     * Returns the size of a status.
     *
     * @param ranks P, number of ranks.
     * @return number of bytes.
     */
    public static int bytes(final int ranks)
    {
        return RANKS + ranks * RANK_BYTES;
    }

    /**
     * Returns the number of steps that have ended. A thread that has read this number sees the results of these steps.
     *
     * @return number of steps.
     */
    public long ended()
    {
        return (long)LONGS.getAcquire(memory, ENDED);
    }

    /**
     * Returns the number of the latest call.
     *
     * @return number, which increases by one with each dispatch.
     */
    public long call()
    {
        return memory.getLong(CALL);
    }

    /**
     * Returns how many ids in the latest dispatch were not allowed.
     *
     * @return number of selections.
     */
    public int badIds()
    {
        return memory.getInt(BAD_IDS);
    }

    /**
     * Returns the number of selections that the latest combine left out.
     *
     * @return number of selections.
     */
    public int leftOut()
    {
        return memory.getInt(LEFT_OUT);
    }

    /**
     * Returns the time at which the latest step began.
     *
     * @return nanoseconds of the device's clock.
     */
    public long beginNs()
    {
        return memory.getLong(BEGIN_NS);
    }

    /**
     * Returns the time at which the latest step ended.
     *
     * @return nanoseconds of the device's clock.
     */
    public long endNs()
    {
        return memory.getLong(END_NS);
    }

    /**
     * Returns whether a rank is active.
     *
     * @param rank number of the rank.
     * @return false if the rank is masked.
     */
    public boolean isActive(final int rank)
    {
        return ACTIVE == state(rank);
    }

    /**
     * Returns whether a rank was masked because its call differed from this rank's call. Calls differ if they
     * differ in the number of experts, the row length, the element type of the output, the format or layout of scales,
     * or the placement.
     *
     * @param rank number of the rank.
     * @return true if its state is {@link #OTHER_CALL}.
     */
    public boolean isOtherCall(final int rank)
    {
        return OTHER_CALL == state(rank);
    }

    /**
     * Returns the state of a rank.
     *
     * @param rank number of the rank.
     * @return {@link #ACTIVE}, or the reason why the rank is masked.
     */
    public int state(final int rank)
    {
        return memory.getInt(RANKS + requireRank(rank) * RANK_BYTES);
    }

    /**
     * Returns the primitive whose wait masked a rank.
     *
     * @param rank number of a rank that a step masked.
     * @return primitive that waited.
     */
    public StepOp maskedIn(final int rank)
    {
        return StepOp.values()[memory.getInt(RANKS + requireRank(rank) * RANK_BYTES + Integer.BYTES)];
    }

    private int requireRank(final int rank)
    {
        if (rank < 0 || rank >= ranks)
        {
            throw new IndexOutOfBoundsException("rank = " + rank + " is not allowed: must be in [0, " + ranks + ")");
        }

        return rank;
    }

    /**
     * Returns the memory of the status. This method is for implementations.
     *
     * @return direct buffer in native byte order.
     */
    public ByteBuffer memory()
    {
        return memory;
    }

    /**
     * Records that a rank is masked, or is active again. This method is for step kernels that are written in Java.
     *
     * @param rank  number of the rank.
     * @param state new state of the rank.
     * @param wait  primitive that waited for the rank.
     */
    public void rank(final int rank, final int state, final StepOp wait)
    {
        memory.putInt(RANKS + requireRank(rank) * RANK_BYTES + Integer.BYTES, wait.ordinal());
        memory.putInt(RANKS + rank * RANK_BYTES, state);
    }

    /**
     * Records that a step has ended. This method is for step kernels that are written in Java.
     *
     * @param steps number of steps that have ended.
     */
    public void end(final long steps)
    {
        LONGS.setRelease(memory, ENDED, steps);
    }
}
