/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.connect;

import dev.transload.engine.DataType;
import dev.transload.engine.DispatchOutput;
import dev.transload.engine.EngineConfig;
import dev.transload.engine.OutputShape;
import dev.transload.engine.Tensor;
import dev.transload.engine.TensorMemory;
import dev.transload.engine.internal.world.Geometry;
import dev.transload.engine.internal.world.Stage;
import dev.transload.kernels.Fp8;
import dev.transload.spi.Access;
import dev.transload.spi.Capability;
import dev.transload.spi.MemoryKind;
import dev.transload.spi.MemoryRegion;
import dev.transload.spi.Transport;
import dev.transload.spi.TransportUnavailableException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Memory for tensors: what a caller asks for, and outputs that it leaves to the engine. */
public final class TensorAllocator implements AutoCloseable
{
    private static final Logger LOGGER = LoggerFactory.getLogger(TensorAllocator.class);
    private static final int ALIGNMENT = 64;

    private final EngineConfig config;
    private final EngineScope scope;
    private final Transports stages;
    private final List<String> transports;
    private final boolean isExposing;
    private final HostCopies copies;
    private final List<TensorMemory> given = new ArrayList<>();
    /** Those whose bytes are the caller's. */
    private final Set<TensorMemory> registered = new HashSet<>();
    private volatile long oldest;

    /**
     * Of an engine.
     *
     * @param isExposing whether ranks of the node may reach tensors, where the transport can.
     */
    public TensorAllocator(
        final EngineConfig config, final EngineScope scope, final Transports stages, final boolean isExposing)
    {
        this.config = config;
        this.scope = scope;
        this.stages = stages;
        this.transports = TensorMemory.transportsOf(config);
        this.isExposing = isExposing;
        this.copies = new HostCopies(stages, scope, config.openTimeout());
        scope.context().add(this);
    }

    /**
     * Where payload is on devices: take what copies to and from them need. Without a worker for them the engine is of
     * use, and a copy says what is missing.
     */
    public void openCopies()
    {
        if (!config.payloadKind().isHost())
        {
            try
            {
                copies.open();
            }
            catch (final IllegalStateException ex)
            {
                LOGGER.debug("no copies between the JVM and device memory: {}", ex.getMessage());
            }
        }
    }

    /** Give back what copies need, which is taken again with the next one. */
    public void closeCopies()
    {
        copies.close();
    }

    /** Memory before it was closed; known anew whenever memory is given out. Engines use each other's memory. */
    public long oldestOpen()
    {
        return scope.context().oldestMemory();
    }

    long oldest()
    {
        return oldest;
    }

    /**
     * Whether ranks of the node read a combine's rows where they are.
     *
     * @return true if the scale-up transport has windows and the configuration allows it.
     */
    public boolean isReadInPlace()
    {
        return isExposing && stages.of(Stage.SCALE_UP).capabilities().has(Capability.WINDOWS);
    }

    public TensorMemory allocate(final MemoryKind kind, final int device, final long bytes)
    {
        final MemoryRegion up = allocateUp(kind, device, Geometry.align(Math.max(1, bytes), ALIGNMENT));
        return remember(up, kind, up.device(), up.address(), up.length(), true);
    }

    /**
     * Memory that peers of the scale-up stage reach; kept at the end until they do no more.
     *
     * @throws TransportUnavailableException where there is no room for it.
     */
    public TensorMemory allocateExposed(final MemoryKind kind, final int device, final long bytes)
    {
        final MemoryRegion up = stages.of(Stage.SCALE_UP).allocate(
            kind, device, Geometry.align(Math.max(1, bytes), ALIGNMENT), Access.REMOTE);
        return remember(up, kind, up.device(), up.address(), up.length(), true);
    }

    public synchronized TensorMemory register(
        final MemoryKind kind, final int device, final long address, final long bytes)
    {
        final MemoryRegion up = registerUp(kind, device, address, bytes);
        final TensorMemory memory = remember(up, kind, device, address, bytes,
            stages.of(Stage.SCALE_UP).capabilities().has(Capability.REGISTERED_WINDOWS));
        registered.add(memory);
        return memory;
    }

    /** Memory that peers do not reach. */
    public synchronized TensorMemory registerLocal(
        final MemoryKind kind, final int device, final long address, final long bytes)
    {
        final MemoryRegion up = stages.of(Stage.SCALE_UP).register(kind, device, address, bytes, Access.LOCAL);
        final TensorMemory memory = remember(up, kind, device, address, bytes, false);
        registered.add(memory);
        return memory;
    }

    /** Memory that cannot be exported, as its owner allocated it, is not reached by peers: rows pass the rings. */
    private MemoryRegion registerUp(final MemoryKind kind, final int device, final long address, final long bytes)
    {
        final Transport transport = stages.of(Stage.SCALE_UP);
        if (isExposing && transport.capabilities().remoteKinds().contains(kind))
        {
            try
            {
                return transport.register(kind, device, address, bytes, Access.REMOTE);
            }
            catch (final TransportUnavailableException ex)
            {
                LOGGER.warn("registered memory of {} bytes cannot be reached by the node's ranks, its rows pass the " +
                    "rings: {}", bytes, ex.getMessage());
            }
        }

        return transport.register(kind, device, address, bytes, Access.LOCAL);
    }

    /** Without room for memory that peers can reach, rows pass the rings. */
    private MemoryRegion allocateUp(final MemoryKind kind, final int device, final long bytes)
    {
        final Transport transport = stages.of(Stage.SCALE_UP);
        if (isExposing)
        {
            try
            {
                return transport.allocate(kind, device, bytes, Access.REMOTE);
            }
            catch (final TransportUnavailableException ex)
            {
                LOGGER.warn("a tensor of {} bytes cannot be reached by the node's ranks, its rows pass the rings: {}",
                    bytes, ex.getMessage());
            }
        }

        return transport.allocate(kind, device, bytes, Access.LOCAL);
    }

    private synchronized TensorMemory remember(
        final MemoryRegion up, final MemoryKind kind, final int device, final long address, final long bytes,
        final boolean isReadable)
    {
        final Transport out = stages.of(Stage.SCALE_OUT);
        final boolean isOne = null == out || stages.isShared() || !stages.moves(Stage.SCALE_OUT, kind);
        final MemoryRegion other = isOne ? up : register(out, up, kind, device, address, bytes);
        final TensorMemory one = new TensorMemory(
            scope.context().nextMemory(), other, up, transports, isReadable, copies);
        given.removeIf(TensorMemory::isClosed);
        registered.removeIf(TensorMemory::isClosed);
        given.add(one);
        oldest = given.stream().mapToLong(TensorMemory::id).min().orElseThrow();
        return one;
    }

    /** With the other transport, or with none. */
    private static MemoryRegion register(
        final Transport transport, final MemoryRegion first, final MemoryKind kind, final int device,
        final long address, final long bytes)
    {
        try
        {
            return transport.register(kind, device, address, bytes, Access.LOCAL);
        }
        catch (final RuntimeException ex)
        {
            first.close();
            throw ex;
        }
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

    /** The caller's own bytes are given back; memory that peers may still write to is kept until they do not. */
    @Override
    public synchronized void close()
    {
        scope.context().remove(this);
        for (final TensorMemory memory : given)
        {
            if (memory.isExposed() && !registered.contains(memory))
            {
                scope.keep(memory.retire());
            }
            else
            {
                memory.close();
            }
        }

        given.clear();
        registered.clear();
        copies.close();
    }
}
