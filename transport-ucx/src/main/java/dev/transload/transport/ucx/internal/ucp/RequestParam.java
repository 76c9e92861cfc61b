/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.ucx.internal.ucp;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.agrona.BufferUtil;

/**
 * UCX's {@code ucp_request_param_t} in off-heap memory, for calls through JNA; behind it a word for results. One thread
 * uses an instance: UCX copies what it needs of it before a call returns.
 */
final class RequestParam
{
    /** {@code op_attr_mask}, u32: which of the other fields count. */
    static final int FIELDS_OFFSET = 0;

    /** {@code flags}, u32: what they mean depends on the call. */
    static final int FLAGS_OFFSET = 4;

    /** {@code datatype}, u64: element size · 8 for contiguous elements. */
    static final int DATATYPE_OFFSET = 24;

    /** {@code memory_type}, i32. */
    static final int MEMORY_TYPE_OFFSET = 48;

    /** {@code memh}, a pointer. */
    static final int MEMORY_HANDLE_OFFSET = 64;

    /** Bytes of the structure. */
    static final int LENGTH = 72;

    private static final int RESULT_OFFSET = LENGTH;
    private static final int FIELD_DATATYPE = 1 << 3;
    private static final int FIELD_FLAGS = 1 << 4;
    private static final int FIELD_MEMORY_TYPE = 1 << 6;
    private static final int FIELD_MEMORY_HANDLE = 1 << 8;
    private static final int DATATYPE_SHIFT = 3;

    private final ByteBuffer memory =
        ByteBuffer.allocateDirect(LENGTH + 3 * Long.BYTES).order(ByteOrder.nativeOrder());
    private final long address = BufferUtil.address(memory);

    /** No field at all. */
    long none()
    {
        memory.putInt(FIELDS_OFFSET, 0);
        return address;
    }

    /** Flags of a call. */
    long flags(final int flags)
    {
        memory.putInt(FIELDS_OFFSET, FIELD_FLAGS);
        memory.putInt(FLAGS_OFFSET, flags);
        return address;
    }

    /** Where the memory of a put or get is. */
    long memory(final long memoryHandle, final int memoryType)
    {
        memory.putInt(FIELDS_OFFSET, 0 == memoryHandle ? FIELD_MEMORY_TYPE : FIELD_MEMORY_TYPE | FIELD_MEMORY_HANDLE);
        memory.putInt(MEMORY_TYPE_OFFSET, memoryType);
        memory.putLong(MEMORY_HANDLE_OFFSET, memoryHandle);
        return address;
    }

    /** An operand of one 64-bit word. */
    long word()
    {
        memory.putInt(FIELDS_OFFSET, FIELD_DATATYPE);
        memory.putLong(DATATYPE_OFFSET, (long)Long.BYTES << DATATYPE_SHIFT);
        return address;
    }

    /** Address of the i-th word for results, of three. */
    long resultAddress(final int index)
    {
        return address + RESULT_OFFSET + (long)index * Long.BYTES;
    }

    long resultLong(final int index)
    {
        return memory.getLong(RESULT_OFFSET + index * Long.BYTES);
    }

    int resultInt(final int index)
    {
        return memory.getInt(RESULT_OFFSET + index * Long.BYTES);
    }
}
