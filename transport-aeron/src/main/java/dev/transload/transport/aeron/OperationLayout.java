/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.aeron;

import java.nio.ByteOrder;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/**
 * Wire layout of the streams of operations, little endian. Every message is one frame: a header of type i32, channel
 * i32 (number that the requester gave it), region i32 (id at the target), flags i32, offset i64, value i64; then bytes.
 * <pre>
 *            channel  region  flags  offset                 value               bytes
 * GREETING   version  -       -      sender's transport id  receiver's token    -       first on every stream
 * PUT        yes      yes     -      first byte             -                   to be written
 * ADD_SIGNAL yes      yes     -      index                  delta               -
 * ADD_WORD   yes      yes     -      first byte             delta               -
 * FLUSH      yes      -       -      -                      position            -       answered by FLUSHED
 * LOAD       yes      yes     -      first byte             position            length i64; answered by LOADED
 * FLUSHED    yes      -       -      -                      position            -
 * LOADED     yes      -       LAST   from the first byte    position            that were read
 * BROKEN     yes      -       -      -                      -                   reason, UTF-8
 * </pre>
 * A fence needs no message, since a stream is applied in its order.
 */
final class OperationLayout
{
    static final int VERSION = 1;

    static final int GREETING = 1;
    static final int PUT = 2;
    static final int ADD_SIGNAL = 3;
    static final int ADD_WORD = 4;
    static final int FLUSH = 5;
    static final int LOAD = 6;
    static final int FLUSHED = 7;
    static final int LOADED = 8;
    static final int BROKEN = 9;

    static final int LAST = 1;

    static final int HEADER_LENGTH = 32;

    private static final int TYPE_OFFSET = 0;
    private static final int CHANNEL_OFFSET = 4;
    private static final int REGION_OFFSET = 8;
    private static final int FLAGS_OFFSET = 12;
    private static final int OFFSET_OFFSET = 16;
    private static final int VALUE_OFFSET = 24;

    private OperationLayout()
    {
    }

    static void header(
        final MutableDirectBuffer buffer,
        final int at,
        final int type,
        final int channel,
        final int region,
        final int flags,
        final long offset,
        final long value)
    {
        buffer.putInt(at + TYPE_OFFSET, type, ByteOrder.LITTLE_ENDIAN);
        buffer.putInt(at + CHANNEL_OFFSET, channel, ByteOrder.LITTLE_ENDIAN);
        buffer.putInt(at + REGION_OFFSET, region, ByteOrder.LITTLE_ENDIAN);
        buffer.putInt(at + FLAGS_OFFSET, flags, ByteOrder.LITTLE_ENDIAN);
        buffer.putLong(at + OFFSET_OFFSET, offset, ByteOrder.LITTLE_ENDIAN);
        buffer.putLong(at + VALUE_OFFSET, value, ByteOrder.LITTLE_ENDIAN);
    }

    static int type(final DirectBuffer buffer, final int at)
    {
        return buffer.getInt(at + TYPE_OFFSET, ByteOrder.LITTLE_ENDIAN);
    }

    static int channel(final DirectBuffer buffer, final int at)
    {
        return buffer.getInt(at + CHANNEL_OFFSET, ByteOrder.LITTLE_ENDIAN);
    }

    static int region(final DirectBuffer buffer, final int at)
    {
        return buffer.getInt(at + REGION_OFFSET, ByteOrder.LITTLE_ENDIAN);
    }

    static boolean isLast(final DirectBuffer buffer, final int at)
    {
        return 0 != (buffer.getInt(at + FLAGS_OFFSET, ByteOrder.LITTLE_ENDIAN) & LAST);
    }

    static long offset(final DirectBuffer buffer, final int at)
    {
        return buffer.getLong(at + OFFSET_OFFSET, ByteOrder.LITTLE_ENDIAN);
    }

    static long value(final DirectBuffer buffer, final int at)
    {
        return buffer.getLong(at + VALUE_OFFSET, ByteOrder.LITTLE_ENDIAN);
    }

    static long loadLength(final DirectBuffer buffer, final int at)
    {
        return buffer.getLong(at + HEADER_LENGTH, ByteOrder.LITTLE_ENDIAN);
    }
}
