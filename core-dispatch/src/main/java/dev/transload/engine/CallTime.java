/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine;

import java.util.List;

/**
 * Calls of one kind that ended well since the engine was opened.
 *
 * @param kind   {@code dispatch}, {@code cached dispatch} or {@code combine}.
 * @param calls  number of them.
 * @param ns     from their start on this rank to their end, summed; waiting in the queue of calls is not in it.
 * @param byTime calls of each of the {@link TimeBuckets}; all but those that end at this moment are in one.
 */
public record CallTime(String kind, long calls, long ns, List<Long> byTime)
{
}
