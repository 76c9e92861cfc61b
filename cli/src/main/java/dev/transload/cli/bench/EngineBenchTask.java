/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.bench;

import com.fasterxml.jackson.databind.JsonNode;

/**
 * Description of a bench of the engine, equal on all ranks.
 *
 * @param stream       what the transport carries between these ranks, measured before.
 * @param isLowLatency whether the run is in low-latency mode.
 * @param run          task of the run.
 */
record EngineBenchTask(ExchangeTask stream, boolean isLowLatency, JsonNode run)
{
}
