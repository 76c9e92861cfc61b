/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.tck.stepping;

import java.util.HashMap;
import java.util.Map;

/**
 * The totals of one channel's signals on a fabric without atomic operations. The channel is the only writer of a signal
 * (SIG-3), so it knows the sum of its adds and puts that as a word. Puts have no order among themselves: a word is put
 * again when its last put is done.
 */
final class SignalPuts
{
    private final Map<Long, Operation> last = new HashMap<>();

    /** Whether the last put of a signal is on its way. */
    boolean isUnderWay(final Descriptors signals, final int index)
    {
        final Operation before = last.get(key(signals, index));
        return null != before && !before.isDelivered();
    }

    /** Make an add the put of its total. */
    void total(final Operation operation)
    {
        final Operation before =
            last.put(key(operation.remote, (int)operation.remoteOffset), operation);
        operation.total = operation.delta + (null == before ? 0 : before.total);
    }

    private static long key(final Descriptors signals, final int index)
    {
        return (long)signals.id() << Integer.SIZE | index;
    }
}
