/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.kernels;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * What became of the steps of a session, in host memory that its device writes. Native byte order:
 * <pre>
 * {@link #ENDED}   ended     i64  steps that have ended; stored last, behind all of the line (release)
 * {@link #CALL}   call      i64  number of the latest call
 * {@link #BAD_IDS}  badIds    i32  selections of the latest dispatch that were left out since their id was not allowed
 * {@link #LEFT_OUT}  leftOut   i32  selections that the latest combine left out
 * {@link #BEGIN_NS}  beginNs   i64  clock of the device when the latest step began
 * {@link #END_NS}  endNs     i64  when it ended
 * {@link #RANKS}  by rank   i32  state: 0 active, else why it is masked | i32 ordinal of the StepOp that waited
 * </pre>
 * A step of many blocks may show states of ranks before it has ended.
 */
public final class StepStatus
{
    /** Of the count of ended steps. */
    public static final int ENDED = 0;

    /** Of the call's number. */
    public static final int CALL = 8;

    /** Of the count of bad ids. */
    public static final int BAD_IDS = 16;

    /** Of the count of selections left out. */
    public static final int LEFT_OUT = 20;

    /** Of the begin of the latest step. */
    public static final int BEGIN_NS = 24;

    /** Of its end. */
    public static final int END_NS = 32;

    /** Of the states of ranks. */
    public static final int RANKS = 64;

    /** Bytes of a rank's state. */
    public static final int RANK_BYTES = 8;

    /** State of a rank that takes part. */
    public static final int ACTIVE = 0;

    /** State of a rank that {@link StepSession#mask} was called for. */
    public static final int ASKED = 1;

    /** State of a rank that was waited for in vain. */
    public static final int SILENT = 2;

    /** State of a rank whose grant ran out before this rank had used it. */
    public static final int LATE = 3;

    /** State of a rank that made another call. */
    public static final int OTHER_CALL = 4;

    private static final VarHandle LONGS =
        MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.nativeOrder());

    private final ByteBuffer memory;
    private final int ranks;

    /**
     * Over memory that a device writes.
     *
     * @param memory direct buffer, aligned to 8, of at least {@link #bytes}.
     * @param ranks  P.
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
     * Memory that a status takes.
     *
     * @param ranks P.
     * @return bytes.
     */
    public static int bytes(final int ranks)
    {
        return RANKS + ranks * RANK_BYTES;
    }

    /**
     * Steps that have ended. A thread that reads this number then sees what those steps reported.
     *
     * @return count.
     */
    public long ended()
    {
        return (long)LONGS.getAcquire(memory, ENDED);
    }

    /**
     * Number of the latest call.
     *
     * @return number, ascending by one a dispatch.
     */
    public long call()
    {
        return memory.getLong(CALL);
    }

    /**
     * Ids of the latest dispatch that were not allowed.
     *
     * @return count of selections.
     */
    public int badIds()
    {
        return memory.getInt(BAD_IDS);
    }

    /**
     * What the latest combine left out.
     *
     * @return count of selections.
     */
    public int leftOut()
    {
        return memory.getInt(LEFT_OUT);
    }

    /**
     * When the latest step began.
     *
     * @return nanoseconds of the device's clock.
     */
    public long beginNs()
    {
        return memory.getLong(BEGIN_NS);
    }

    /**
     * When the latest step ended.
     *
     * @return nanoseconds of the device's clock.
     */
    public long endNs()
    {
        return memory.getLong(END_NS);
    }

    /**
     * Whether a rank takes part.
     *
     * @param rank asked for.
     * @return false once it is masked.
     */
    public boolean isActive(final int rank)
    {
        return ACTIVE == state(rank);
    }

    /**
     * Whether a rank was masked since it made another call: other E, hidden, type or layout, or another placement.
     *
     * @param rank asked for.
     * @return true for {@link #OTHER_CALL}.
     */
    public boolean isOtherCall(final int rank)
    {
        return OTHER_CALL == state(rank);
    }

    /**
     * State of a rank.
     *
     * @param rank asked for.
     * @return {@link #ACTIVE} or why it is masked.
     */
    public int state(final int rank)
    {
        return memory.getInt(RANKS + requireRank(rank) * RANK_BYTES);
    }

    /**
     * In which wait a rank was masked.
     *
     * @param rank asked for, masked by a step.
     * @return primitive.
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
     * The memory; for implementations.
     *
     * @return direct buffer in native byte order.
     */
    public ByteBuffer memory()
    {
        return memory;
    }

    /**
     * Say that a rank is masked, or active again; for implementations in Java.
     *
     * @param rank  of the world.
     * @param state reason.
     * @param wait  primitive that waited.
     */
    public void rank(final int rank, final int state, final StepOp wait)
    {
        memory.putInt(RANKS + requireRank(rank) * RANK_BYTES + Integer.BYTES, wait.ordinal());
        memory.putInt(RANKS + rank * RANK_BYTES, state);
    }

    /**
     * Say that a step has ended; for implementations in Java.
     *
     * @param steps that have ended.
     */
    public void end(final long steps)
    {
        LONGS.setRelease(memory, ENDED, steps);
    }
}
