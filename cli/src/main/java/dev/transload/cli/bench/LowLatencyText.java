/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.bench;

import com.fasterxml.jackson.databind.JsonNode;
import dev.transload.engine.lowlatency.LowLatencyEngine;
import java.util.Map;

/** The low-latency part of a bench as its command sees it: settings, memory, and the figures for people. */
final class LowLatencyText
{
    private LowLatencyText()
    {
    }

    /** Keys of the engine that is measured. */
    static Map<String, String> settings(final int ranks)
    {
        return Map.of(
            "transload.max-hidden", String.valueOf(LowLatencyBench.HIDDEN),
            "transload.max-topk", String.valueOf(LowLatencyBench.TOPK),
            "transload.max-experts", String.valueOf(LowLatencyBench.EXPERTS_PER_RANK * ranks),
            "transload.low-latency.max-tokens", String.valueOf(LowLatencyBench.MAX_TOKENS));
    }

    /**
     * Memory of all ranks, which transports may take from what is shared: what peers write to, of the engine and of the
     * exchange beside it; the output, what is sent, also cast, and what is combined; what is exchanged.
     */
    static long bytes(final int ranks)
    {
        final long exchanged = (2L * ranks + 1) * (LowLatencyBench.MAX_TOKENS * LowLatencyBench.TOPK / ranks);
        final long received = (long)LowLatencyBench.EXPERTS_PER_RANK * ranks * LowLatencyBench.MAX_TOKENS;
        final long own = exchanged + received + 4L * LowLatencyBench.MAX_TOKENS;
        return ranks * (own * LowLatencyBench.HIDDEN * Short.BYTES + LowLatencyEngine.bytes(LowLatencyBench.MAX_TOKENS,
            LowLatencyBench.HIDDEN, ranks, LowLatencyBench.EXPERTS_PER_RANK * ranks, LowLatencyBench.TOPK));
    }

    /** Empty where calls were not measured. */
    static String of(final JsonNode figures)
    {
        final JsonNode calls = figures.get("low_latency");
        if (null == calls)
        {
            return figures.has("low_latency_needs_bytes") ? "low latency: not measured, since it needs " +
                (figures.get("low_latency_needs_bytes").asLong() >> 20) + " MiB on each device" +
                System.lineSeparator() : "";
        }

        final StringBuilder text = new StringBuilder();
        BenchCommand.line(text, "low latency over %s: %d ranks, hidden %d, BF16, top-%d of %d experts; an exchange " +
            "between all ranks takes %.1f us and carries %.2f GB/s from each, a copy %.2f GB/s",
            calls.get("transport").asText(), calls.get("ranks").asInt(), calls.get("hidden").asInt(),
            calls.get("topk").asInt(), calls.get("experts").asInt(), calls.get("exchange_micros").asDouble(),
            calls.get("exchange_GBps").asDouble(), calls.get("copy_GBps").asDouble());
        BenchCommand.line(text, "%-26s %9s %10s %10s %10s %10s %10s", "slowest rank, microseconds", "tokens", "p50",
            "p90", "p99", "exchange", "ratio");
        calls.get("results").forEach((result) -> BenchCommand.line(text,
            "%-26s %9d %10.1f %10.1f %10.1f %10.1f %10.2f", result.get("operation").asText(),
            result.get("tokens").asInt(), result.at("/micros/p50").asDouble(), result.at("/micros/p90").asDouble(),
            result.at("/micros/p99").asDouble(), result.get("floor_micros").asDouble(),
            result.get("ratio").asDouble()));
        return text.toString();
    }
}
