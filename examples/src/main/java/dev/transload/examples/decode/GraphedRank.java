/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.examples.decode;

import com.typesafe.config.Config;
import dev.transload.engine.DataType;
import dev.transload.engine.Tensor;
import dev.transload.engine.TensorMemory;
import dev.transload.engine.lowlatency.LowLatencyCombineRequest;
import dev.transload.engine.lowlatency.LowLatencyConfig;
import dev.transload.engine.lowlatency.LowLatencyDispatchRequest;
import dev.transload.engine.lowlatency.LowLatencyDispatchResult;
import dev.transload.engine.lowlatency.LowLatencyEngine;
import dev.transload.engine.lowlatency.LowLatencyOutput;
import dev.transload.kernels.DeviceQueue;
import dev.transload.rendezvous.Rendezvous;
import dev.transload.spi.MemoryKind;
import dev.transload.spi.TransportRegistry;
import dev.transload.transport.nvlink.cuda.CudaDevice;
import dev.transload.transport.nvlink.cuda.CudaGraph;
import dev.transload.transport.nvlink.cuda.CudaStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.concurrent.TimeUnit;

/**
 * One rank whose calls of the low-latency engine are captured once, those of all layers, and replayed. Layer l sends
 * the sums of layer l − 1, by selections and weights of its own; an expert answers with the row that it got.
 */
final class GraphedRank implements AutoCloseable
{
    private static final long TIMEOUT_NS = TimeUnit.SECONDS.toNanos(60);

    private final DecodeModel model;
    private final int rank;
    private final LowLatencyEngine engine;
    private final CudaStream stream;
    private final CudaGraph graph;
    private final TensorMemory x;
    private final TensorMemory ids;
    private final TensorMemory weights;
    /** Of all layers, one behind the other. */
    private final TensorMemory sums;
    private final LowLatencyOutput output;

    /**
     * Opens it, with all others.
     *
     * @param model      of all ranks.
     * @param config     of the engine, whose payload lies in the device's memory.
     * @param rendezvous of all ranks.
     * @param device     of this rank.
     */
    GraphedRank(final DecodeModel model, final Config config, final Rendezvous rendezvous, final CudaDevice device)
    {
        this.model = model;
        this.rank = rendezvous.rank();
        engine = LowLatencyEngine.open(LowLatencyConfig.from(config), rendezvous, TransportRegistry.discover());
        x = engine.allocatePayload(model.batchBytes());
        ids = engine.allocatePayload((long)model.layers() * model.selections() * Integer.BYTES);
        weights = engine.allocatePayload((long)model.layers() * model.selections() * Float.BYTES);
        sums = engine.allocatePayload((long)model.layers() * model.batchBytes());
        output = engine.allocateOutput(model.experts(), model.hidden(), DataType.BF16, null);
        stream = device.openStream();
        final DeviceQueue queue = new DeviceQueue(MemoryKind.CUDA, device.ordinal(), stream.handle());
        graph = CudaGraph.capture(device, stream.handle(), () -> callAllLayers(queue));
    }

    private void callAllLayers(final DeviceQueue queue)
    {
        for (int layer = 0; layer < model.layers(); layer++)
        {
            final LowLatencyDispatchResult sent = engine.dispatch(LowLatencyDispatchRequest.of(
                0 == layer ? batch(x, 0) : batch(sums, layer - 1),
                new Tensor(ids, (long)layer * model.selections() * Integer.BYTES, DataType.I32, model.tokens(),
                    model.topk()), model.experts(), output).queue(queue));
            engine.combine(LowLatencyCombineRequest.of(sent, output.x(),
                new Tensor(weights, (long)layer * model.selections() * Float.BYTES, DataType.F32, model.tokens(),
                    model.topk()), batch(sums, layer)).queue(queue)).receive();
        }
    }

    private Tensor batch(final TensorMemory memory, final int index)
    {
        return new Tensor(memory, (long)index * model.batchBytes(), DataType.BF16, model.tokens(), model.hidden());
    }

    /** Calls of all layers, with tokens, selections and weights of a round. */
    void replay(final int round)
    {
        final ByteBuffer tokens = buffer(x);
        tokens.asShortBuffer().put(model.x(round, rank));
        x.copyFromHost(0, tokens);
        final ByteBuffer selected = buffer(ids);
        final ByteBuffer weighted = buffer(weights);
        for (int layer = 0; layer < model.layers(); layer++)
        {
            selected.position(layer * model.selections() * Integer.BYTES).asIntBuffer()
                .put(model.ids(round, rank, layer));
            weighted.position(layer * model.selections() * Float.BYTES).asFloatBuffer()
                .put(model.weights(round, rank, layer));
        }

        ids.copyFromHost(0, selected.clear());
        weights.copyFromHost(0, weighted.clear());
        graph.launch(stream.handle());
        final long value = stream.mark();
        final int error = value < 0 ? (int)value : stream.await(value, TIMEOUT_NS);
        if (0 != error)
        {
            throw new IllegalStateException("rank " + rank + ": the stream ended with CUDA error " + error);
        }
    }

    /**
     * Hold the sums of all layers to what the host makes of the round.
     *
     * @return elements that are wrong.
     */
    int wrongSums(final int round)
    {
        final ByteBuffer seen = buffer(sums);
        sums.copyToHost(0, seen);
        seen.clear();
        int wrong = 0;
        short[] tokens = model.x(round, rank);
        for (int layer = 0; layer < model.layers(); layer++)
        {
            final short[] expected = new short[tokens.length];
            model.apply(tokens, model.weights(round, rank, layer), expected);
            for (final short element : expected)
            {
                wrong += element == seen.getShort() ? 0 : 1;
            }

            tokens = expected;
        }

        return wrong;
    }

    private static ByteBuffer buffer(final TensorMemory memory)
    {
        return ByteBuffer.allocate((int)memory.length()).order(ByteOrder.nativeOrder());
    }

    @Override
    public void close()
    {
        graph.close();
        stream.close();
        engine.close();
    }
}
