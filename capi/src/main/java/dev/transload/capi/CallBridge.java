/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.capi;

import dev.transload.engine.Completion;
import dev.transload.engine.DispatchHandle;
import dev.transload.engine.DispatchOutput;
import dev.transload.engine.DispatchResult;
import dev.transload.engine.Tensor;
import java.nio.ByteBuffer;
import java.time.Duration;
import org.agrona.BufferUtil;
import org.agrona.UnsafeApi;

/** A call of the normal mode that the C library has submitted. */
abstract class CallBridge
{
    /** Elements of an FP8 row that share a scale. */
    static final int SCALE_GROUP = 128;

    /** What {@link #describe} writes. */
    static final int TENSOR_FIELDS = 6;

    private final Inputs inputs;
    private final GivenOut given;
    private final MemoryPool.Lease[] leases;
    private Completion<?> completion;
    private final long submittedNs;
    private long engineNs;
    private boolean isEnded;

    CallBridge(final Inputs inputs, final GivenOut given, final int tensors)
    {
        this.inputs = inputs;
        this.given = given;
        this.leases = new MemoryPool.Lease[tensors];
        this.submittedNs = System.nanoTime();
    }

    final void submitted(final Completion<?> under)
    {
        completion = under;
    }

    final Tensor keep(final int index, final MemoryPool.Lease lease)
    {
        leases[index] = lease;
        return null == lease ? null : lease.tensor();
    }

    final MemoryPool.Lease lease(final int index)
    {
        return leases[index];
    }

    /**
     * Wait.
     *
     * @param timeoutMs at most; below 0 until the call ends.
     * @return whether it has ended well.
     * @throws RuntimeException if it failed.
     */
    final boolean await(final long timeoutMs)
    {
        if (isEnded)
        {
            return true;
        }

        if (timeoutMs >= 0 && !completion.await(Duration.ofMillis(timeoutMs)))
        {
            return false;
        }

        try
        {
            final Object result = completion.await();
            engineNs = System.nanoTime() - submittedNs;
            ended(result);
            isEnded = true;
            return true;
        }
        finally
        {
            inputs.close();
        }
    }

    final long engineNs()
    {
        return engineNs;
    }

    /** What its kind makes of the result. */
    void ended(final Object result)
    {
    }

    /**
     * Give out what the call has brought, once; tensors of a combine also before it has ended.
     *
     * @param address of the result, which is written as its kind says.
     * @param counts  address of the counts of a dispatch.
     */
    abstract void result(long address, long counts);

    /** Writes a tensor as {@link GivenOut#give} does. */
    final void give(final int index, final Fields fields)
    {
        given.give(leases[index], fields);
        leases[index] = null;
    }

    final GivenOut given()
    {
        return given;
    }

    static void describe(final Tensor tensor, final Fields fields)
    {
        fields.put(tensor.memory().address() + tensor.offset());
        fields.put(Devices.type(tensor.memory().kind()));
        fields.put(tensor.memory().device());
        fields.put(tensor.type().ordinal());
        fields.put(tensor.rows());
        fields.put(tensor.columns());
    }

    /** Wait for the end, whatever it is, and give back what was not taken. */
    final void close()
    {
        try
        {
            await(-1);
        }
        finally
        {
            drop();
        }
    }

    /** A call that was not submitted, or has ended. */
    void drop()
    {
        inputs.close();
        for (int index = 0; index < leases.length; index++)
        {
            if (null != leases[index])
            {
                leases[index].release();
                leases[index] = null;
            }
        }
    }

    /** A dispatch; its tensors are x, xScales, topkIdx, topkWeights and srcTokenIdx. */
    static final class OfDispatch extends CallBridge
    {
        private static final int TENSORS = 5;
        private static final int IDX = 2;
        private static final int WEIGHTS = 3;
        private static final int SOURCES = 4;

        private final boolean hasHandle;
        private final int worstRows;
        private DispatchResult result;
        private DispatchHandle handle;

        OfDispatch(final Inputs inputs, final GivenOut given, final boolean hasHandle, final int worstRows)
        {
            super(inputs, given, TENSORS);
            this.hasHandle = hasHandle;
            this.worstRows = worstRows;
        }

        void output(
            final MemoryPool.Lease x, final MemoryPool.Lease scales, final MemoryPool.Lease idx,
            final MemoryPool.Lease weights, final MemoryPool.Lease sources)
        {
            keep(0, x);
            keep(1, scales);
            keep(IDX, idx);
            keep(WEIGHTS, weights);
            keep(SOURCES, sources);
        }

        DispatchOutput output()
        {
            return new DispatchOutput(tensor(0), tensor(1), tensor(IDX), tensor(WEIGHTS), tensor(SOURCES));
        }

        private Tensor tensor(final int index)
        {
            return null == lease(index) ? null : lease(index).tensor();
        }

        @Override
        void ended(final Object delivered)
        {
            result = (DispatchResult)delivered;
            handle = hasHandle ? result.handle() : null;
            if (worstRows > result.rows() && null != lease(IDX))
            {
                fillUnused(lease(IDX).tensor());
            }
        }

        /** Rows that were not delivered have no expert. */
        private void fillUnused(final Tensor idx)
        {
            final long offset = result.rows() * idx.rowBytes();
            final long bytes = idx.bytes() - offset;
            if (idx.memory().kind().isHost())
            {
                UnsafeApi.setMemory(idx.memory().address() + idx.offset() + offset, bytes, (byte)-1);
            }
            else
            {
                final ByteBuffer ones = ByteBuffer.allocateDirect(Math.toIntExact(bytes));
                UnsafeApi.setMemory(BufferUtil.address(ones), bytes, (byte)-1);
                idx.memory().copyFromHost(idx.offset() + offset, ones);
            }
        }

        /**
         * Writes rows, local experts, ranks, the engine's nanoseconds and the number of the handle, 0 for none, which
         * the caller closes; then the tensors. Counts are rows per local expert, then the prefix sum of ranks, as
         * 32-bit words.
         */
        @Override
        void result(final long address, final long counts)
        {
            final int[] experts = result.rowsPerExpert();
            final Fields fields = new Fields(address);
            fields.put(result.rows());
            fields.put(experts.length);
            fields.put(result.rankPrefixSum().length);
            fields.put(engineNs());
            fields.put(null == handle ? 0 : given().put(handle));
            handle = null;
            for (int index = 0; index < TENSORS; index++)
            {
                give(index, fields);
            }

            Fields.putInts(counts, experts);
            Fields.putInts(counts + (long)experts.length * Integer.BYTES, result.rankPrefixSum());
        }

        @Override
        void drop()
        {
            super.drop();
            if (null != handle)
            {
                handle.close();
                handle = null;
            }
        }
    }

    /** A combine; its tensors are the rows and the weights. */
    static final class OfCombine extends CallBridge
    {
        private static final int TENSORS = 2;

        OfCombine(final Inputs inputs, final GivenOut given)
        {
            super(inputs, given, TENSORS);
        }

        /** Writes the engine's nanoseconds, 0 before the end, then the tensors. */
        @Override
        void result(final long address, final long counts)
        {
            final Fields fields = new Fields(address);
            fields.put(engineNs());
            for (int index = 0; index < TENSORS; index++)
            {
                give(index, fields);
            }
        }

        Tensor rows(final MemoryPool.Lease lease)
        {
            return keep(0, lease);
        }

        Tensor weights(final MemoryPool.Lease lease)
        {
            return keep(1, lease);
        }
    }
}
