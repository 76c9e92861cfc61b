/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine;

/**
 * What this rank moved in one stage since the engine was opened.
 *
 * @param traffic       stage and kind of call.
 * @param rows          sent to ranks, the own one included, by way of rings or in place.
 * @param bytes         payload and metadata of these rows.
 * @param ringHighWater most rows that lay in one ring of this rank when it looked for new ones.
 */
public record TrafficCount(Traffic traffic, long rows, long bytes, long ringHighWater)
{
}
