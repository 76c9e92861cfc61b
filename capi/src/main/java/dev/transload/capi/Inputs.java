/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.capi;

import dev.transload.engine.BadInputException;
import dev.transload.engine.DataType;
import dev.transload.engine.Tensor;
import dev.transload.engine.TensorMemory;
import dev.transload.spi.MemoryKind;
import java.util.ArrayList;
import java.util.List;
import org.agrona.UnsafeApi;

/**
 * Tensors of the caller that a call borrows: registered where they are, or copied where host memory is small, or not
 * aligned as the engine wants it. Closed when the call has ended.
 */
final class Inputs implements AutoCloseable
{
    /** As {@link dev.transload.engine.Engine#register}. */
    @FunctionalInterface
    interface Registry
    {
        TensorMemory register(MemoryKind kind, int device, long address, long bytes);
    }

    /** Tensors that need no registration of their own. */
    @FunctionalInterface
    interface Known
    {
        /** Null where there is none. */
        Tensor of(MemoryKind kind, int device, long address, DataType type, int rows, int columns);
    }

    private static final Known NONE = (kind, device, address, type, rows, columns) -> null;

    private static final int ALIGNMENT = 16;

    /** Up to so many, a copy takes less than a registration. */
    private static final int COPIED_BYTES = 16 * 1024;

    private final Registry registry;
    private final MemoryPool host;
    private final MemoryPool payload;
    private final Known known;
    private final List<TensorMemory> registered = new ArrayList<>();
    private final List<MemoryPool.Lease> copies = new ArrayList<>();

    Inputs(final Registry registry, final MemoryPool host, final MemoryPool payload, final Known known)
    {
        this.registry = registry;
        this.host = host;
        this.payload = payload;
        this.known = known;
    }

    /**
     * Read a tensor.
     *
     * @param fields whether there is one, address, device type and number, element type, rows, columns.
     * @return tensor, or null.
     */
    Tensor next(final Fields fields)
    {
        return next(fields, false, known);
    }

    /** Read a tensor that other ranks may read in place. */
    Tensor nextShared(final Fields fields)
    {
        return next(fields, false, NONE);
    }

    /** Read a tensor that the call writes to, which cannot be a copy. */
    Tensor nextWritten(final Fields fields)
    {
        return next(fields, true, known);
    }

    private Tensor next(final Fields fields, final boolean isWritten, final Known those)
    {
        final boolean isThere = 0 != fields.next();
        final long address = fields.next();
        final int deviceType = fields.nextInt();
        final int device = fields.nextInt();
        final DataType type = fields.nextType();
        final int rows = fields.nextInt();
        final int columns = fields.nextInt();
        if (!isThere)
        {
            return null;
        }

        final long bytes = (long)rows * columns * type.bytes();
        final MemoryKind kind = Devices.kind(deviceType);
        if (0 == bytes || kind.isHost() && !isWritten && (bytes <= COPIED_BYTES || 0 != address % ALIGNMENT))
        {
            final MemoryPool.Lease copy = (kind.isHost() ? host : payload).lease(type, rows, columns);
            copies.add(copy);
            UnsafeApi.copyMemory(address, copy.tensor().memory().address(), bytes);
            return copy.tensor();
        }

        if (0 != address % ALIGNMENT)
        {
            throw new BadInputException("a tensor at address 0x" + Long.toHexString(address) +
                " is not allowed: must be at a multiple of " + ALIGNMENT);
        }

        final Tensor own = those.of(kind, device, address, type, rows, columns);
        if (null != own)
        {
            return own;
        }

        final TensorMemory memory = registry.register(kind, kind.isHost() ? 0 : device, address, bytes);
        registered.add(memory);
        return new Tensor(memory, 0, type, rows, columns);
    }

    /** Whether closing gives memory back that a device may still read. */
    boolean hasCopies()
    {
        return !copies.isEmpty();
    }

    @Override
    public void close()
    {
        registered.forEach(TensorMemory::close);
        registered.clear();
        copies.forEach(MemoryPool.Lease::release);
        copies.clear();
    }
}
