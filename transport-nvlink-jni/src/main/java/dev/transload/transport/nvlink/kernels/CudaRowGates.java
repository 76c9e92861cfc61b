/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.nvlink.kernels;

import dev.transload.kernels.RowCopies;
import dev.transload.kernels.RowGates;
import dev.transload.kernels.RowKernels;
import dev.transload.transport.nvlink.cuda.CudaDevice;
import dev.transload.transport.nvlink.cuda.CudaModule;
import dev.transload.transport.nvlink.cuda.PinnedMemory;

import org.agrona.UnsafeApi;

/**
 * Copies that wait on the device, each by one launch of {@code tl_gated_rows}. Two words of page-locked memory say
 * which parts are open, and which were copied. Both have the number of the operation in their high half, as has the
 * word by which its blocks tell each other, so that nothing is cleared between two operations.
 */
final class CudaRowGates implements RowGates
{
    /** One reads what the CPU opens, the others copy. */
    static final int MIN_BLOCKS = 2;

    private static final int LINE = 128;
    private static final int LEAVE = 1 << RowCopies.MAX_PARTS;
    private static final int PARTS = LEAVE - 1;

    private final KernelQueue queue;
    private final PartArguments parts;
    private final KernelArguments arguments;
    private final long function;
    private final int sms;
    private final long patienceNs;
    private final PinnedMemory words;
    private final long gates;
    private final long copied;
    private final long relay;
    private int number;
    private int open;
    private long position;
    private boolean isClosed;

    /**
     * None submitted.
     *
     * @param queue      in which they wait.
     * @param parts      of the same arguments.
     * @param arguments  to launch with.
     * @param module     with the kernel.
     * @param sms        blocks at most.
     * @param patienceNs after which an operation ends without parts that are closed.
     */
    CudaRowGates(
        final KernelQueue queue, final PartArguments parts, final KernelArguments arguments, final CudaModule module,
        final int sms, final long patienceNs)
    {
        final CudaDevice device = queue.stream().device();
        this.queue = queue;
        this.parts = parts;
        this.arguments = arguments;
        this.function = module.function(KernelArguments.GATED_ROWS);
        this.sms = sms;
        this.patienceNs = patienceNs;
        this.words = device.allocatePinned(2 * LINE);
        this.gates = words.address();
        this.copied = gates + LINE;
        this.relay = device.allocate(Long.BYTES);
        queue.stream().zero(relay, Long.BYTES);
    }

    @Override
    public long copyRows(final RowCopies copies)
    {
        if (!queue.tryEnter())
        {
            return RowKernels.BACK_PRESSURED;
        }

        if (queue.completed() < position)
        {
            throw new IllegalStateException("the gated copy before this one is still under way");
        }

        parts.putAll(copies);
        final int next = number + 1;
        tell(next, 0);
        final int blocks = Math.min(sms, 1 + Math.max(1, CudaRowKernels.blocksWorth(parts.bytes())));
        final long accepted = queue.launch(function, blocks, KernelArguments.THREADS, arguments,
            arguments.gatesAt(copies.parts(), gates, relay, copied).gates(Integer.toUnsignedLong(next), patienceNs));
        if (accepted >= 0)
        {
            number = next;
            open = 0;
            position = accepted;
        }

        return accepted;
    }

    @Override
    public void open(final int opened)
    {
        requireSubmitted();
        open |= opened & PARTS;
        tell(number, open);
    }

    @Override
    public void leave()
    {
        requireSubmitted();
        open |= LEAVE;
        tell(number, open);
    }

    private void requireSubmitted()
    {
        if (isClosed || 0 == position)
        {
            throw new IllegalStateException(isClosed ? "row kernels are closed: must be open" :
                "no gated copy was submitted");
        }
    }

    private void tell(final int operation, final int what)
    {
        UnsafeApi.putLongRelease(null, gates, (long)operation << Integer.SIZE | what);
    }

    @Override
    public int copied()
    {
        requireSubmitted();
        if (queue.completed() < position)
        {
            throw new IllegalStateException("the gated copy is under way: what was copied is not known yet");
        }

        return (int)UnsafeApi.getLongAcquire(null, copied) & PARTS;
    }

    /** The kernels are being closed: what waits need wait no longer. */
    void shut()
    {
        if (!isClosed && position > 0)
        {
            leave();
        }

        isClosed = true;
    }

    /** Nothing is under way any more. */
    void close()
    {
        queue.stream().device().free(relay);
        words.close();
    }
}
