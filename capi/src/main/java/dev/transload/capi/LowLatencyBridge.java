/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.capi;

import dev.transload.engine.BadInputException;
import dev.transload.engine.DataType;
import dev.transload.engine.Tensor;
import dev.transload.engine.lowlatency.LowLatencyCombineRequest;
import dev.transload.engine.lowlatency.LowLatencyCombineResult;
import dev.transload.engine.lowlatency.LowLatencyDispatchRequest;
import dev.transload.engine.lowlatency.LowLatencyDispatchResult;
import dev.transload.engine.lowlatency.LowLatencyEngine;
import dev.transload.engine.lowlatency.LowLatencyOutput;
import dev.transload.engine.lowlatency.ScaleLayout;
import dev.transload.kernels.DeviceQueue;
import dev.transload.kernels.ScaleFormat;
import dev.transload.spi.MemoryKind;
import java.util.ArrayList;
import java.util.List;

/** An engine of the low-latency mode that the C library has opened, and the tensors that it gave out. */
final class LowLatencyBridge
{
    private static final ScaleLayout[] SCALES = ScaleLayout.values();

    private final LowLatencyEngine engine;
    private final MemoryPool host;
    private final MemoryPool payload;
    private final List<Tensor> given = new ArrayList<>();
    private final Registrations registrations;
    private long engineNs;

    private LowLatencyBridge(final LowLatencyEngine engine)
    {
        this.engine = engine;
        this.host = new MemoryPool(engine::allocateHost);
        this.payload = new MemoryPool(engine::allocatePayload);
        this.registrations = new Registrations(engine::register);
    }

    static LowLatencyBridge open(final WorldBridge world, final String settings)
    {
        return new LowLatencyBridge(LowLatencyEngine.open(world.lowLatency(settings), world.context()));
    }

    /**
     * Make an output.
     *
     * @param experts E.
     * @param hidden  elements of a row.
     * @param scales  number of a {@link ScaleLayout}, below 0 for BF16.
     * @param address of five tensors as {@link CallBridge#describe} writes them: x, xScales, count, srcInfo,
     *                layoutRange, and before each whether it is there; behind them the ranks, P.
     * @return output.
     */
    LowLatencyOutput output(final int experts, final int hidden, final int scales, final long address)
    {
        final LowLatencyOutput output = engine.allocateOutput(
            experts, hidden, scales < 0 ? DataType.BF16 : DataType.F8_E4M3, scales < 0 ? null : SCALES[scales]);
        given.add(output.x());
        final Fields fields = new Fields(address);
        for (final Tensor tensor : new Tensor[]
            {output.x(), output.xScales(), output.count(), output.srcInfo(), output.layoutRange()})
        {
            fields.put(null == tensor ? 0 : 1);
            if (null == tensor)
            {
                fields.skip(CallBridge.TENSOR_FIELDS);
            }
            else
            {
                CallBridge.describe(tensor, fields);
            }
        }

        return output;
    }

    /** Make answers, and write what they are. */
    void answers(final int experts, final int hidden, final long address)
    {
        final Tensor answers = engine.allocateAnswers(experts, hidden);
        given.add(answers);
        CallBridge.describe(answers, new Fields(address));
    }

    private Tensor known(
        final MemoryKind kind, final int device, final long address, final DataType type, final int rows,
        final int columns)
    {
        final long bytes = (long)rows * columns * type.bytes();
        for (final Tensor tensor : given)
        {
            if (tensor.memory().address() + tensor.offset() == address && tensor.type() == type &&
                tensor.bytes() == bytes)
            {
                return tensor;
            }
        }

        return kind.isHost() ? null :
            new Tensor(registrations.of(kind, device, address, bytes), 0, type, rows, columns);
    }

    /**
     * Send a dispatch.
     *
     * @param output  to fill.
     * @param address of x and topkIdx as {@link Inputs#next} reads them; E; whether scales are powers of two; whether
     *                it receives at once; timeout in ms, 0 as configured; stream, 0 for the engine's.
     * @return call.
     */
    Call dispatch(final LowLatencyOutput output, final long address)
    {
        final Inputs inputs = new Inputs(engine::register, host, payload, this::known);
        try
        {
            final Fields fields = new Fields(address);
            final Tensor x = inputs.next(fields);
            final Tensor idx = inputs.next(fields);
            final LowLatencyDispatchRequest request =
                LowLatencyDispatchRequest.of(x, idx, fields.nextInt(), output);
            request.scaleFormat(0 == fields.next() ? ScaleFormat.AMAX : ScaleFormat.POWER_OF_TWO);
            if (0 != fields.next())
            {
                request.atOnce();
            }

            request.timeout(EngineBridge.timeout(fields.next())).queue(queue(fields.next()));
            final long beganNs = System.nanoTime();
            final LowLatencyDispatchResult result = engine.dispatch(request);
            engineNs += System.nanoTime() - beganNs;
            return new Call(result, inputs);
        }
        catch (final RuntimeException | Error ex)
        {
            inputs.close();
            throw ex;
        }
    }

    private DeviceQueue queue(final long handle)
    {
        return 0 == handle ? null :
            new DeviceQueue(engine.config().common().payloadKind(), engine.config().common().device(), handle);
    }

    void mask(final int rank)
    {
        engine.mask(rank);
    }

    void clear(final int rank, final int generation)
    {
        engine.clear(rank, generation);
    }

    /** Writes 1 for each rank that takes part, else 0, as 32-bit words. */
    void active(final long address)
    {
        final int[] active = new int[engine.world().size()];
        engine.activeRanks(active);
        Fields.putInts(address, active);
    }

    /** What the engine's part of all calls took so far. */
    long engineNs()
    {
        return engineNs;
    }

    void close()
    {
        engine.close();
    }

    /** A dispatch and its combine. The engine uses its results again: their number tells whether they are it. */
    final class Call
    {
        private final LowLatencyDispatchResult result;
        private final Inputs inputs;
        private final long number;
        private LowLatencyCombineResult combined;

        private Call(final LowLatencyDispatchResult result, final Inputs inputs)
        {
            this.result = result;
            this.inputs = inputs;
            this.number = result.call();
        }

        private void requireOwn()
        {
            if (result.call() != number)
            {
                throw new BadInputException("dispatch " + number + " was released: its place is that of dispatch " +
                    result.call());
            }
        }

        void receive()
        {
            requireOwn();
            final long beganNs = System.nanoTime();
            result.receive();
            engineNs += System.nanoTime() - beganNs;
        }

        /**
         * Send answers.
         *
         * @param address of x, topkWeights and output as {@link Inputs#next} reads them; timeout in ms, 0 as
         *                configured; stream, 0 for the engine's; whether the call is released behind it.
         */
        void combine(final long address)
        {
            requireOwn();
            final Fields fields = new Fields(address);
            final Tensor x = inputs.next(fields);
            final Tensor weights = inputs.next(fields);
            final Tensor output = inputs.nextWritten(fields);
            final LowLatencyCombineRequest request = LowLatencyCombineRequest.of(result, x, weights, output);
            request.timeout(EngineBridge.timeout(fields.next())).queue(queue(fields.next()));
            final long beganNs = System.nanoTime();
            combined = engine.combine(request);
            engineNs += System.nanoTime() - beganNs;
            if (0 != fields.next())
            {
                detach();
            }
        }

        int receiveSums()
        {
            requireOwn();
            if (null == combined)
            {
                throw new BadInputException("dispatch " + number + " was not combined: nothing is to be received");
            }

            try
            {
                final long beganNs = System.nanoTime();
                final int leftOut = combined.receive().leftOut();
                engineNs += System.nanoTime() - beganNs;
                return leftOut;
            }
            finally
            {
                inputs.close();
            }
        }

        /** Release without waiting, unless the device may still read what would be given back. */
        void detach()
        {
            if (inputs.hasCopies() || result.call() != number)
            {
                close();
                return;
            }

            final long beganNs = System.nanoTime();
            result.detach();
            engineNs += System.nanoTime() - beganNs;
            inputs.close();
        }

        void close()
        {
            try
            {
                if (result.call() == number)
                {
                    final long beganNs = System.nanoTime();
                    result.close();
                    engineNs += System.nanoTime() - beganNs;
                }
            }
            finally
            {
                inputs.close();
            }
        }
    }
}
