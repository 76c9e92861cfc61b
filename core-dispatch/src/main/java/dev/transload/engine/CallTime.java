/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine;

import java.util.List;

/**
 * Number and duration of the successful calls of one kind since the engine was opened.
 *
 * @param kind   {@code dispatch}, {@code cached dispatch} or {@code combine}.
 * @param calls  number of successful calls of the kind.
 * @param ns     sum of their durations in nanoseconds. The duration of a call is the time from its start on this rank
 *               to its end, without the time in the queue of calls.
 * @param byTime number of calls in each of the {@link TimeBuckets}. A call that ends while the counters are read may be
 *               counted in {@code calls} but not yet in this list.
 */
public record CallTime(String kind, long calls, long ns, List<Long> byTime)
{
}
