/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.examples;

import dev.transload.engine.CombineRequest;
import dev.transload.engine.CombineResult;
import dev.transload.engine.Completion;
import dev.transload.engine.DataType;
import dev.transload.engine.DispatchHandle;
import dev.transload.engine.DispatchOutput;
import dev.transload.engine.DispatchRequest;
import dev.transload.engine.DispatchResult;
import dev.transload.engine.Engine;
import dev.transload.engine.EngineConfig;
import dev.transload.engine.Tensor;
import dev.transload.rendezvous.Rendezvous;
import dev.transload.spi.MemoryKind;
import dev.transload.spi.TransportRegistry;
import dev.transload.transport.nvlink.cuda.CudaDevice;
import dev.transload.transport.nvlink.cuda.CudaDriver;
import dev.transload.transport.nvlink.cuda.CudaIpc;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;

/** One rank, whose rows are in tensors of another process on the rank's GPU. */
final class TensorRank implements AutoCloseable
{
    private final Shape shape;
    private final Rendezvous rendezvous;
    private final Engine engine;
    private final CudaDevice device;
    private final Tensor topk;
    private final Map<String, Tensor> tensors = new HashMap<>();
    private final Deque<ByteBuffer> opened = new ArrayDeque<>();
    private DispatchHandle handle;

    /**
     * Of a world and its calls.
     *
     * @param ranks   in the world.
     * @param tokens  of each rank.
     * @param hidden  elements of a row.
     * @param topk    choices of a token.
     * @param experts of the model.
     */
    record Shape(int ranks, int tokens, int hidden, int topk, int experts)
    {
    }

    TensorRank(
        final EngineConfig config, final Rendezvous rendezvous, final TransportRegistry transports,
        final CudaDriver driver, final Shape shape)
    {
        this.shape = shape;
        this.rendezvous = rendezvous;
        this.engine = Engine.open(config, rendezvous, transports);
        // As the engine deals them: the ranks of a host take its devices in turn.
        this.device = driver.device(engine.world().rank() % driver.deviceCount());
        this.topk = host(shape.tokens(), DataType.I64, shape.topk());
    }

    /** Experts of each token, in words from one on. */
    void topk(final String[] words, final int first)
    {
        final ByteBuffer view = topk.view();
        for (int i = 0; i < shape.tokens() * shape.topk(); i++)
        {
            view.putLong(i * Long.BYTES, Long.parseLong(words[first + i]));
        }
    }

    /** Open an allocation of the other process, and register the part of it that is a tensor. */
    void tensor(final String name, final byte[] ipcHandle, final long offset)
    {
        if (CudaIpc.HANDLE_LENGTH != ipcHandle.length)
        {
            throw new IllegalArgumentException("tensor " + name + ": its handle has " + ipcHandle.length +
                " bytes instead of " + CudaIpc.HANDLE_LENGTH);
        }

        final int rows = "received".equals(name) ? shape.ranks() * shape.tokens() : shape.tokens();
        final ByteBuffer ofAllocation = ByteBuffer.wrap(ipcHandle);
        final long address = device.ipc().open(ofAllocation) + offset;
        opened.push(ofAllocation);
        tensors.put(name, new Tensor(engine.register(MemoryKind.CUDA, device.ordinal(), address,
            (long)rows * shape.hidden() * DataType.BF16.bytes()), 0, DataType.BF16, rows, shape.hidden()));
    }

    Completion<DispatchResult> dispatch()
    {
        final Tensor received = tensors.get("received");
        final int rows = received.rows();
        return engine.dispatch(DispatchRequest.of(tensors.get("x")).topk(topk, null, shape.experts())
            .output(new DispatchOutput(received, null, host(rows, DataType.I64, shape.topk()),
                host(rows, DataType.F32, shape.topk()), host(rows, DataType.I32, 1))));
    }

    /** Rows that came to this rank's experts. */
    int received(final DispatchResult result)
    {
        handle = result.handle();
        return result.rows();
    }

    Completion<CombineResult> combine()
    {
        return engine.combine(CombineRequest.of(handle, tensors.get("received").firstRows(handle.rows()))
            .output(tensors.get("combined"), null));
    }

    private Tensor host(final int rows, final DataType type, final int columns)
    {
        return new Tensor(engine.allocateHost((long)rows * columns * type.bytes()), 0, type, rows, columns);
    }

    /** The engine first: peers use what this rank registered until all ranks close. */
    @Override
    public void close()
    {
        engine.close();
        rendezvous.close();
        opened.forEach(device.ipc()::close);
    }
}
