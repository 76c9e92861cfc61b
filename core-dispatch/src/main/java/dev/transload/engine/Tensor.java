/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine;

import java.nio.ByteBuffer;
import java.util.Objects;

/**
 * A dense row-major matrix in memory that the engine registered. Tensors may share memory, and a tensor does not own
 * its memory.
 */
public final class Tensor
{
    private final TensorMemory memory;
    private final long offset;
    private final DataType type;
    private final int rows;
    private final int columns;

    /**
     * Creates a tensor as a view of registered memory.
     *
     * @param memory  memory that holds the tensor.
     * @param offset  byte offset of the first element in the memory, a multiple of 16.
     * @param type    type of the elements.
     * @param rows    number of rows, not negative.
     * @param columns number of columns, positive.
     */
    public Tensor(
        final TensorMemory memory, final long offset, final DataType type, final int rows, final int columns)
    {
        if (rows < 0 || columns < 1)
        {
            throw new IllegalArgumentException(
                "tensor [" + rows + ", " + columns + "]: rows must be >= 0 and columns >= 1");
        }

        final long bytes = (long)rows * columns * type.bytes();
        if (offset < 0 || 0 != (offset & 15) || offset + bytes > memory.length())
        {
            throw new IllegalArgumentException("tensor of " + bytes + " bytes at offset " + offset +
                ": must lie at a multiple of 16 within memory of " + memory.length() + " bytes");
        }

        this.memory = memory;
        this.offset = offset;
        this.type = type;
        this.rows = rows;
        this.columns = columns;
    }

    /**
     * Returns the memory that holds the tensor.
     *
     * @return memory.
     */
    public TensorMemory memory()
    {
        return memory;
    }

    /**
     * Returns the offset of the first element in the memory.
     *
     * @return offset in bytes.
     */
    public long offset()
    {
        return offset;
    }

    /**
     * Returns the type of the elements.
     *
     * @return type.
     */
    public DataType type()
    {
        return type;
    }

    /**
     * Returns the number of rows.
     *
     * @return count.
     */
    public int rows()
    {
        return rows;
    }

    /**
     * Returns the number of columns.
     *
     * @return count.
     */
    public int columns()
    {
        return columns;
    }

    /**
     * Returns the length of a row.
     *
     * @return bytes.
     */
    public long rowBytes()
    {
        return (long)columns * type.bytes();
    }

    /**
     * Returns the size of all elements.
     *
     * @return bytes.
     */
    public long bytes()
    {
        return rows * rowBytes();
    }

    /**
     * Returns a tensor of the first rows of this tensor.
     *
     * @param count number of rows, at most {@link #rows()}.
     * @return a view of the same memory.
     */
    public Tensor firstRows(final int count)
    {
        return new Tensor(memory, offset, type, count, columns);
    }

    /**
     * Returns a buffer over all elements. The tensor must be in host memory and have at most 2 GiB.
     *
     * @return direct buffer in native byte order.
     */
    public ByteBuffer view()
    {
        return memory.hostView(offset, Math.toIntExact(bytes()));
    }

    /**
     * Writes rows from a buffer into this tensor, whatever the kind of its memory is; see
     * {@link TensorMemory#copyFromHost}.
     *
     * @param firstRow index of the first row to write.
     * @param rows     dense rows in native byte order, from the buffer's position to its limit.
     * @throws IndexOutOfBoundsException if some of the rows are outside the tensor.
     */
    public void copyFromHost(final int firstRow, final ByteBuffer rows)
    {
        memory.copyFromHost(place(firstRow, rows), rows);
    }

    /**
     * Reads rows of this tensor into a buffer, whatever the kind of its memory is; see {@link TensorMemory#copyToHost}.
     *
     * @param firstRow index of the first row to read.
     * @param rows     buffer for dense rows in native byte order, from its position to its limit.
     * @throws IndexOutOfBoundsException if some of the rows are outside the tensor.
     */
    public void copyToHost(final int firstRow, final ByteBuffer rows)
    {
        memory.copyToHost(place(firstRow, rows), rows);
    }

    private long place(final int firstRow, final ByteBuffer rows)
    {
        return offset + Objects.checkFromIndexSize(firstRow * rowBytes(), rows.remaining(), bytes());
    }

    /**
     * Returns the type and the shape, e.g. {@code BF16 [128, 7168]}.
     *
     * @return text for messages.
     */
    @Override
    public String toString()
    {
        return type + " [" + rows + ", " + columns + "]";
    }
}
