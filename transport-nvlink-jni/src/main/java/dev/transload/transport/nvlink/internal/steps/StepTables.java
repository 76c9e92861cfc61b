/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.nvlink.internal.steps;

import dev.transload.kernels.StepShape;
import dev.transload.kernels.StepStatus;
import dev.transload.kernels.StepWords;
import dev.transload.transport.base.AddressView;
import dev.transload.transport.nvlink.cuda.CudaDevice;
import dev.transload.transport.nvlink.cuda.CudaException;
import dev.transload.transport.nvlink.cuda.CudaStream;
import dev.transload.transport.nvlink.cuda.PinnedMemory;

import org.agrona.UnsafeApi;

/**
 * Memory of a session beside that of its caller. On the device: what steps leave to each other, and tables of ranks and
 * tensors, which the CPU changes by copies, so that a graph need not be captured anew. On the host, page-locked: the
 * status line, and the word of completed positions.
 */
final class StepTables
{
    /** Launches the kernel by which a rank is masked: state u64, status u64, rank u64 behind the header of a stream. */
    private static final int MASK_BYTES = CudaStream.HEADER_LENGTH + 3 * Long.BYTES;
    private static final int MASK_THREADS = 32;

    /** Of {@code tl_step_state.cuh}. */
    private static final int RANKS_OFFSET = 128;
    private static final int RANK_BYTES = 64;
    private static final int RANK_STATE = 32;

    private static final int PEER_BYTES = 4 * Long.BYTES;
    private static final int OUTPUT_BYTES = 2 * Long.BYTES;
    private static final int LINE = 128;

    private final CudaDevice device;
    private final CudaStream stream;
    private final PinnedMemory pinned;
    private final long timeoutNs;
    private final long maskFunction;
    private final long state;
    private final long peers;
    private final long outputs;
    private final long answers;
    private final long selections;
    private final long packs;
    private final long completed;
    private final long scratch;
    private final StepStatus status;

    /**
     * Of a session in which all ranks take part.
     *
     * @param device       of it.
     * @param shape        of it.
     * @param maskFunction kernel by which a rank is masked.
     * @param timeoutNs    after which a stalled device is given up.
     */
    StepTables(final CudaDevice device, final StepShape shape, final long maskFunction, final long timeoutNs)
    {
        final int ranks = shape.ranks();
        this.device = device;
        this.timeoutNs = timeoutNs;
        this.maskFunction = maskFunction;
        this.stream = device.openStream();
        final long peersAt = RANKS_OFFSET + (long)ranks * RANK_BYTES;
        final long outputsAt = peersAt + (long)ranks * PEER_BYTES;
        final long answersAt = outputsAt + (long)ranks * StepWords.MAX_TENSORS * OUTPUT_BYTES;
        final long selectionsAt = answersAt + (long)ranks * StepWords.MAX_TENSORS * Long.BYTES;
        final long packsAt = selectionsAt + (long)shape.maxTokens() * shape.maxTopk() * Long.BYTES;
        final long bytes = packsAt + (long)ranks * shape.localExperts() * Integer.BYTES;
        this.state = device.allocate(bytes);
        this.peers = state + peersAt;
        this.outputs = state + outputsAt;
        this.answers = state + answersAt;
        this.selections = state + selectionsAt;
        this.packs = state + packsAt;
        stream.zero(state, bytes);
        final int statusBytes = (StepStatus.bytes(ranks) + LINE - 1) / LINE * LINE;
        this.pinned = device.allocatePinned(statusBytes + 2L * LINE);
        this.status = new StepStatus(AddressView.of(pinned.address(), statusBytes), ranks);
        this.completed = pinned.address() + statusBytes;
        this.scratch = completed + LINE;
        write(state, shape.firstCall());
    }

    /** Copy words to the device, and wait for it. */
    private void write(final long target, final long... words)
    {
        for (int i = 0; i < words.length; i++)
        {
            UnsafeApi.putLong(scratch + (long)i * Long.BYTES, words[i]);
        }

        await("cuMemcpyAsync", stream.copy(target, scratch, (long)words.length * Long.BYTES));
    }

    private void await(final String call, final long value)
    {
        final int error = value < 0 ? (int)value : stream.await(value, timeoutNs);
        if (0 != error)
        {
            throw new CudaException(call, device.describe(), -error);
        }
    }

    void peer(final int rank, final long words, final long slots, final int generation, final int farIndex)
    {
        write(peers + (long)rank * PEER_BYTES, words, slots, generation, 1 + farIndex);
    }

    /** A rank takes part: nothing is granted. */
    void activate(final int rank)
    {
        write(state + RANKS_OFFSET + (long)rank * RANK_BYTES + RANK_STATE, 0, 0);
    }

    void output(final int rank, final int number, final long rows, final long info)
    {
        write(outputs + ((long)rank * StepWords.MAX_TENSORS + number) * OUTPUT_BYTES, rows, info);
    }

    void answers(final int rank, final int number, final long address)
    {
        write(answers + ((long)rank * StepWords.MAX_TENSORS + number) * Long.BYTES, address);
    }

    /** Amid steps, too. */
    void mask(final int rank)
    {
        UnsafeApi.putLong(scratch + CudaStream.HEADER_LENGTH, state);
        UnsafeApi.putLong(scratch + CudaStream.HEADER_LENGTH + Long.BYTES, status());
        UnsafeApi.putLong(scratch + CudaStream.HEADER_LENGTH + 2 * Long.BYTES, rank);
        await("cuLaunchKernel", stream.launch(maskFunction, 1, MASK_THREADS, scratch, MASK_BYTES));
    }

    StepStatus line()
    {
        return status;
    }

    long completedPosition()
    {
        return UnsafeApi.getLongAcquire(null, completed);
    }

    long state()
    {
        return state;
    }

    long status()
    {
        return pinned.address();
    }

    long completed()
    {
        return completed;
    }

    long peers()
    {
        return peers;
    }

    long outputs()
    {
        return outputs;
    }

    long answers()
    {
        return answers;
    }

    long selections()
    {
        return selections;
    }

    long packs()
    {
        return packs;
    }

    /** No step is under way any more. */
    void close()
    {
        stream.close();
        device.free(state);
        pinned.close();
    }
}
