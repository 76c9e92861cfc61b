/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.wire;

import dev.transload.engine.internal.world.Geometry;
import java.nio.ByteBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * What a rank lets a rank of its node reach in a call: of a dispatch its output, rows and scales, of a combine its
 * expert rows and their weights. Layout in bytes, {@code s} being the number of starts:
 * <pre>
 * tag of the call i64 | form i64 | oldest open memory i64
 * 2 × (memory i64, 0 for none | offset of the tensor i64 | descriptor length i64)
 * s starts (i32, encoded), then at multiples of 8 the two descriptors
 * </pre>
 * The form tells calls apart which would read each other's message wrong, or put rows where none belong; what ranks
 * differ in, the header of the call says. Starts say, in a dispatch, which row of the output is the first one of each
 * source that the receiver relays, expert-major of each (source, local expert).
 */
public final class ClearToSend
{
    /** Tensors of a message. */
    public static final int TENSORS = 2;

    private static final int STARTS_SHIFT = 40;
    private static final long FORM_PRIME = 0x9E3779B97F4A7C15L;
    private static final int FORM_OFFSET = 8;
    private static final int OLDEST_OFFSET = 16;
    private static final int TENSORS_OFFSET = 24;
    private static final int TENSOR_STRIDE = 24;
    private static final int TENSOR_OFFSET = 8;
    private static final int DESCRIPTOR_LENGTH_OFFSET = 16;
    private static final int STARTS_OFFSET = TENSORS_OFFSET + TENSORS * TENSOR_STRIDE;
    private static final int MAX_DESCRIPTOR_BYTES = 1024;

    private ClearToSend()
    {
    }

    /**
     * Form of a call's messages.
     *
     * @param kind     of call.
     * @param isPaired whether rows come with scales or weights.
     * @param rowBytes of the call.
     * @param dispatch number of the call whose counts are used.
     */
    public static long form(
        final int kind, final boolean isPaired, final int rowBytes, final long dispatch, final int starts)
    {
        final long mixed = ((dispatch * FORM_PRIME ^ rowBytes) * FORM_PRIME ^ (kind << 1 | (isPaired ? 1 : 0))) *
            FORM_PRIME;
        return (long)starts << STARTS_SHIFT | mixed >>> Long.SIZE - STARTS_SHIFT;
    }

    /** Starts in messages of a form. */
    public static int starts(final long form)
    {
        return (int)(form >> STARTS_SHIFT);
    }

    /**
     * Room for a message.
     *
     * @return bytes.
     */
    public static long stride(final Geometry geometry)
    {
        final int starts = geometry.maxLocalExperts() * geometry.relays().mostSources();
        return Geometry.align(descriptors(starts) + (long)TENSORS * MAX_DESCRIPTOR_BYTES, Long.SIZE);
    }

    /**
     * Write what precedes the tensors.
     *
     * @param form   of the call.
     * @param oldest memory of the writer that is still open: importers drop what is older.
     */
    public static void header(
        final UnsafeBuffer buffer, final int at, final long call, final long form, final long oldest)
    {
        buffer.putLong(at, call);
        buffer.putLong(at + FORM_OFFSET, form);
        buffer.putLong(at + OLDEST_OFFSET, oldest);
        for (int tensor = 0; tensor < TENSORS; tensor++)
        {
            tensor(buffer, at, tensor, 0, 0, 0);
        }
    }

    /**
     * Write a tensor.
     *
     * @param memory     that holds it, 0 for none.
     * @param offset     of the tensor in the memory.
     * @param descriptor length in bytes.
     */
    public static void tensor(
        final UnsafeBuffer buffer, final int at, final int tensor, final long memory, final long offset,
        final int descriptor)
    {
        final int base = at + TENSORS_OFFSET + tensor * TENSOR_STRIDE;
        buffer.putLong(base, memory);
        buffer.putLong(base + TENSOR_OFFSET, offset);
        buffer.putLong(base + DESCRIPTOR_LENGTH_OFFSET, descriptor);
    }

    /** Number of the call. */
    public static long call(final UnsafeBuffer buffer, final int at)
    {
        return buffer.getLong(at);
    }

    /** Form of the call. */
    public static long form(final UnsafeBuffer buffer, final int at)
    {
        return buffer.getLong(at + FORM_OFFSET);
    }

    /** Oldest memory of the writer that is still open. */
    public static long oldest(final UnsafeBuffer buffer, final int at)
    {
        return buffer.getLong(at + OLDEST_OFFSET);
    }

    /**
     * Memory of a tensor.
     *
     * @return id of the memory, 0 for none.
     */
    public static long memory(final UnsafeBuffer buffer, final int at, final int tensor)
    {
        return buffer.getLong(at + TENSORS_OFFSET + tensor * TENSOR_STRIDE);
    }

    /**
     * Place of a tensor in its memory.
     *
     * @return bytes.
     */
    public static long offset(final UnsafeBuffer buffer, final int at, final int tensor)
    {
        return buffer.getLong(at + TENSORS_OFFSET + tensor * TENSOR_STRIDE + TENSOR_OFFSET);
    }

    /**
     * Place of a start in a message.
     *
     * @return bytes from the message's begin.
     */
    public static int start(final int index)
    {
        return STARTS_OFFSET + index * Integer.BYTES;
    }

    /**
     * Append a descriptor.
     *
     * @param end bytes written so far, from {@link #descriptors} on.
     */
    public static int append(final UnsafeBuffer buffer, final int at, final int end, final byte[] descriptor)
    {
        buffer.putBytes(at + end, descriptor);
        return (int)Geometry.align(end + descriptor.length, Long.BYTES);
    }

    /**
     * Place of the first descriptor.
     *
     * @return bytes from the message's begin.
     */
    public static int descriptors(final int starts)
    {
        return (int)Geometry.align(start(starts), Long.BYTES);
    }

    /** Copy a descriptor. */
    public static ByteBuffer descriptor(
        final UnsafeBuffer buffer, final int at, final int starts, final int tensor)
    {
        int from = at + descriptors(starts);
        for (int before = 0; before < tensor; before++)
        {
            from = (int)Geometry.align(from + descriptorLength(buffer, at, before), Long.BYTES);
        }

        final byte[] bytes = new byte[descriptorLength(buffer, at, tensor)];
        buffer.getBytes(from, bytes);
        return ByteBuffer.wrap(bytes);
    }

    private static int descriptorLength(final UnsafeBuffer buffer, final int at, final int tensor)
    {
        return (int)buffer.getLong(at + TENSORS_OFFSET + tensor * TENSOR_STRIDE + DESCRIPTOR_LENGTH_OFFSET);
    }
}
