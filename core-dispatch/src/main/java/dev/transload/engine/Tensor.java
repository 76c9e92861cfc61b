/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine;

import java.nio.ByteBuffer;
import java.util.Objects;

/**
 * A dense row-major matrix in memory that the engine registered. Two tensors may share memory; a tensor owns nothing.
 */
public final class Tensor
{
    private final TensorMemory memory;
    private final long offset;
    private final DataType type;
    private final int rows;
    private final int columns;

    /**
     * A view of registered memory.
     *
     * @param memory  which holds it.
     * @param offset  of the first element in bytes, a multiple of 16.
     * @param type    of the elements.
     * @param rows    not negative.
     * @param columns positive.
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
     * Memory which holds it.
     *
     * @return memory.
     */
    public TensorMemory memory()
    {
        return memory;
    }

    /**
     * Place of the first element in the memory.
     *
     * @return bytes.
     */
    public long offset()
    {
        return offset;
    }

    /**
     * Type of the elements.
     *
     * @return type.
     */
    public DataType type()
    {
        return type;
    }

    /**
     * Rows.
     *
     * @return count.
     */
    public int rows()
    {
        return rows;
    }

    /**
     * Columns.
     *
     * @return count.
     */
    public int columns()
    {
        return columns;
    }

    /**
     * Length of a row.
     *
     * @return bytes.
     */
    public long rowBytes()
    {
        return (long)columns * type.bytes();
    }

    /**
     * Size of all elements.
     *
     * @return bytes.
     */
    public long bytes()
    {
        return rows * rowBytes();
    }

    /**
     * The first rows of this tensor.
     *
     * @param count of rows, at most {@link #rows()}.
     * @return a view of the same memory.
     */
    public Tensor firstRows(final int count)
    {
        return new Tensor(memory, offset, type, count, columns);
    }

    /**
     * View for the JVM; host memory only, at most 2 GiB.
     *
     * @return direct buffer in native byte order over all elements.
     */
    public ByteBuffer view()
    {
        return memory.hostView(offset, Math.toIntExact(bytes()));
    }

    /**
     * Write rows from the JVM, whatever the kind of memory; see {@link TensorMemory#copyFromHost}.
     *
     * @param firstRow to write.
     * @param rows     dense, in native byte order, from the buffer's position to its limit.
     * @throws IndexOutOfBoundsException if there are fewer rows.
     */
    public void copyFromHost(final int firstRow, final ByteBuffer rows)
    {
        memory.copyFromHost(place(firstRow, rows), rows);
    }

    /**
     * Read rows into the JVM, whatever the kind of memory; see {@link TensorMemory#copyToHost}.
     *
     * @param firstRow to read.
     * @param rows     dense, in native byte order, from the buffer's position to its limit.
     * @throws IndexOutOfBoundsException if there are fewer rows.
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
     * Shape and type, e.g. {@code BF16 [128, 7168]}.
     *
     * @return text for messages.
     */
    @Override
    public String toString()
    {
        return type + " [" + rows + ", " + columns + "]";
    }
}
