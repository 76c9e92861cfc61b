/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.connect;

import dev.transload.engine.DataType;
import dev.transload.engine.DispatchOutput;
import dev.transload.engine.EngineConfig;
import dev.transload.engine.OutputShape;
import dev.transload.engine.Tensor;
import dev.transload.engine.TensorMemory;
import dev.transload.engine.world.Geometry;
import dev.transload.kernels.Fp8;
import dev.transload.spi.MemoryKind;
import java.util.ArrayList;
import java.util.List;

/** Memory for tensors: what a caller asks for, and outputs that it leaves to the engine. */
public final class TensorAllocator implements AutoCloseable
{
    private static final int ALIGNMENT = 64;

    private final EngineConfig config;
    private final Memory memory;
    private final List<TensorMemory> given = new ArrayList<>();
    private volatile long oldestOpen;

    public TensorAllocator(final EngineConfig config, final Memory memory)
    {
        this.config = config;
        this.memory = memory;
    }

    /** Memory before it was closed; known anew whenever memory is given out. */
    public long oldestOpen()
    {
        return oldestOpen;
    }

    public TensorMemory allocate(final MemoryKind kind, final int device, final long bytes)
    {
        return remember(memory.allocate(kind, device, Geometry.align(Math.max(1, bytes), ALIGNMENT)));
    }

    public TensorMemory register(final MemoryKind kind, final int device, final long address, final long bytes)
    {
        return remember(memory.register(kind, device, address, bytes));
    }

    private synchronized TensorMemory remember(final TensorMemory one)
    {
        given.removeIf(TensorMemory::isClosed);
        given.add(one);
        oldestOpen = given.stream().mapToLong(TensorMemory::id).min().orElseThrow();
        return one;
    }

    private TensorMemory payload(final long bytes)
    {
        return allocate(config.payloadKind(), config.device(), bytes);
    }

    public DispatchOutput output(final OutputShape shape)
    {
        final int rows = shape.rows();
        final boolean isFp8 = DataType.F8_E4M3 == shape.type();
        final int scales = isFp8 ? Fp8.scales(shape.hidden()) : 0;
        final long rowBytes = bytes(rows, (long)shape.hidden() * shape.type().bytes());
        final TensorMemory payload = payload(rowBytes + bytes(rows, (long)scales * Float.BYTES));
        final Tensor x = new Tensor(payload, 0, shape.type(), rows, shape.hidden());
        final Tensor xScales = isFp8 ? new Tensor(payload, rowBytes, DataType.F32, rows, scales) : null;
        if (0 == shape.topk())
        {
            return new DispatchOutput(x, xScales, null, null, null);
        }

        final long idxBytes = bytes(rows, (long)shape.topk() * Long.BYTES);
        final long weightBytes = bytes(rows, (long)shape.topk() * Float.BYTES);
        final TensorMemory host =
            allocate(MemoryKind.HOST, 0, idxBytes + weightBytes + bytes(rows, Integer.BYTES));
        return new DispatchOutput(
            x,
            xScales,
            new Tensor(host, 0, DataType.I64, rows, shape.topk()),
            new Tensor(host, idxBytes, DataType.F32, rows, shape.topk()),
            new Tensor(host, idxBytes + weightBytes, DataType.I32, rows, 1));
    }

    public Tensor rows(final int rows, final int hidden)
    {
        return new Tensor(
            payload(bytes(rows, (long)hidden * DataType.BF16.bytes())), 0, DataType.BF16, rows, hidden);
    }

    public Tensor weights(final int rows, final int topk)
    {
        return new Tensor(
            allocate(MemoryKind.HOST, 0, bytes(rows, (long)topk * Float.BYTES)), 0, DataType.F32, rows, topk);
    }

    private static long bytes(final int rows, final long rowBytes)
    {
        return Geometry.align(rows * rowBytes, ALIGNMENT);
    }

    @Override
    public synchronized void close()
    {
        given.forEach(TensorMemory::close);
        given.clear();
    }
}
