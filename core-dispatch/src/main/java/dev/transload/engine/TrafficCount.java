/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine;

/**
 * Rows and bytes that this rank sent in one stage since the engine was opened.
 *
 * @param traffic       stage and kind of call.
 * @param rows          number of rows sent to ranks, including this rank itself, whether through rings or directly.
 * @param bytes         bytes of payload and metadata of these rows.
 * @param ringHighWater largest number of rows that this rank found in one of its rings when it checked for new rows.
 */
public record TrafficCount(Traffic traffic, long rows, long bytes, long ringHighWater)
{
}
