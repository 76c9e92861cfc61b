/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.nvlink.internal.steps;

import dev.transload.kernels.StepArguments;
import dev.transload.kernels.StepOutput;
import dev.transload.kernels.StepShape;
import dev.transload.kernels.StepSlots;
import dev.transload.kernels.StepWords;

import java.nio.ByteBuffer;
import org.agrona.BufferUtil;
import org.agrona.UnsafeApi;

/**
 * The one argument of the kernels of programs, off-heap: {@code tl_step_arguments} of {@code tl_step_state.cuh} states
 * the same layout. It begins with a copy of the {@link StepArguments}; what depends on the session alone is written
 * once.
 */
final class StepLaunch
{
    /** Bytes of the argument. */
    static final int BYTES = 408;

    private static final int POSITION = StepArguments.BYTES;
    private static final int STATE = POSITION + Long.BYTES;
    private static final int TIMEOUT = STATE + 8 * Long.BYTES;
    private static final int WORDS = TIMEOUT + Long.BYTES;
    private static final int SCALES_AT = WORDS + 7 * Long.BYTES;
    private static final int RANGES_AT = SCALES_AT + Long.BYTES;
    private static final int TOTALS_AT = RANGES_AT + Long.BYTES;
    private static final int RANKS = TOTALS_AT + Long.BYTES;
    private static final int LOCAL = RANKS + 4 * Integer.BYTES;
    private static final int HEADER_BYTES = LOCAL + Integer.BYTES;
    private static final int CHECK = HEADER_BYTES + Integer.BYTES;
    private static final int PART = CHECK + Integer.BYTES;
    private static final int FAR = PART + Integer.BYTES;
    private static final int CHUNKS = FAR + 13 * Long.BYTES;

    private final StepShape shape;
    private final ByteBuffer buffer = BufferUtil.allocateDirectAligned(BYTES, Long.BYTES);
    private final long address = BufferUtil.address(buffer);

    /**
     * Of a session.
     *
     * @param shape  of it.
     * @param memory of its device.
     * @param far    what it has for far ranks, null where there are none.
     */
    StepLaunch(final StepShape shape, final StepTables memory, final FarSteps far)
    {
        this.shape = shape;
        final StepWords words = new StepWords(shape);
        final StepSlots slots = new StepSlots(shape);
        putAll(STATE, memory.state(), memory.status(), memory.completed(), memory.peers(), memory.outputs(),
            memory.answers(), memory.selections(), memory.packs());
        putAll(TIMEOUT, shape.timeoutNs());
        putAll(WORDS, words.starts(0, 0, 0), words.done(0, 0, 0), words.ready(0, 0), words.read(0, 0, 0),
            words.alive(0), slots.header(0, 0, 0), slots.rowStride());
        UnsafeApi.putInt(address + RANKS, shape.ranks());
        UnsafeApi.putInt(address + RANKS + Integer.BYTES, shape.ownRank());
        UnsafeApi.putInt(address + RANKS + 2 * Integer.BYTES, shape.maxTokens());
        UnsafeApi.putInt(address + RANKS + 3 * Integer.BYTES, shape.localExperts());
        UnsafeApi.putInt(address + HEADER_BYTES, slots.headerBytes());
        if (null != far)
        {
            putAll(FAR, far.control(), far.rows(), far.ring(), far.released(), words.landed(0, 0, 0),
                words.answered(0, 0, 0), slots.answer(0, 0, 0), slots.answerStride(), far.sends().landed(0, 0, 0),
                far.sends().answered(0, 0, 0), far.sends().alive(0), far.sends().header(0, 0, 0),
                far.sends().answer(0, 0, 0));
            UnsafeApi.putInt(address + CHUNKS, slots.chunkRows());
            UnsafeApi.putInt(address + CHUNKS + Integer.BYTES, slots.chunkAnswers());
            UnsafeApi.putInt(address + CHUNKS + 2 * Integer.BYTES,
                shape.maxTokens() * Math.min(shape.maxTopk(), shape.localExperts()));
        }
    }

    private void putAll(final int offset, final long... values)
    {
        for (int i = 0; i < values.length; i++)
        {
            UnsafeApi.putLong(address + offset + (long)i * Long.BYTES, values[i]);
        }
    }

    void timeoutNs(final long ns)
    {
        UnsafeApi.putLong(address + TIMEOUT, ns);
    }

    /**
     * Write the arguments of a submission.
     *
     * @param arguments of it.
     * @param position  that is completed with it, 0 for none.
     * @param part      of the program that is launched.
     * @return address of all.
     */
    long of(final StepArguments arguments, final long position, final int part)
    {
        final int local = shape.localExperts(arguments.experts());
        final int places = local * shape.expertRows();
        buffer.put(0, arguments.memory(), 0, StepArguments.BYTES);
        UnsafeApi.putLong(address + POSITION, position);
        UnsafeApi.putLong(address + SCALES_AT, StepOutput.scalesOffset(places, arguments.hidden()));
        UnsafeApi.putLong(address + RANGES_AT, StepOutput.layoutRangeOffset(places));
        UnsafeApi.putLong(address + TOTALS_AT, StepOutput.countOffset(places, local * shape.ranks()));
        UnsafeApi.putInt(address + LOCAL, local);
        UnsafeApi.putInt(address + PART, part);
        UnsafeApi.putInt(address + CHECK, StepWords.check(arguments.experts(), arguments.hidden(), arguments.isFp8(),
            arguments.format(), arguments.scales(), arguments.placement()));
        return address;
    }
}
