/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine;

import dev.transload.spi.Access;
import dev.transload.spi.MemoryKind;
import dev.transload.spi.MemoryRegion;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;

/** Tensors in memory of no transport, for tests of what reads tensors. It is in this package for its constructors. */
public final class HeapTensors
{
    private HeapTensors()
    {
    }

    public static Tensor of(final DataType type, final int rows, final int columns)
    {
        final Region region = new Region(Math.max(64, rows * columns * type.bytes()));
        return new Tensor(new TensorMemory(1, region, region, List.of(), true, null), 0, type, rows, columns);
    }

    private static final class Region implements MemoryRegion
    {
        private final ByteBuffer memory;

        Region(final int bytes)
        {
            memory = ByteBuffer.allocateDirect(bytes);
        }

        @Override
        public MemoryKind kind()
        {
            return MemoryKind.HOST;
        }

        @Override
        public int device()
        {
            return 0;
        }

        @Override
        public Access access()
        {
            return Access.LOCAL;
        }

        @Override
        public long length()
        {
            return memory.capacity();
        }

        @Override
        public long address()
        {
            throw new UnsupportedOperationException("nothing in these tests works on addresses");
        }

        @Override
        public ByteBuffer descriptor()
        {
            throw new IllegalStateException("a LOCAL region has no descriptor");
        }

        @Override
        public ByteBuffer hostView(final long offset, final int length)
        {
            return memory.slice((int)offset, length).order(ByteOrder.nativeOrder());
        }

        @Override
        public void close()
        {
            // The collector frees it.
        }
    }
}
