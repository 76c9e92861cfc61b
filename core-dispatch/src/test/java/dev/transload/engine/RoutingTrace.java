/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.transload.reference.Routing;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.zip.GZIPInputStream;

/** What a real model's router chose, from the test resources. */
final class RoutingTrace
{
    private static final Map<String, RoutingTrace> LOADED = new ConcurrentHashMap<>();

    private static final ObjectMapper MAPPER = new ObjectMapper();

    private final int experts;
    private final int topk;
    /** Text: most tests use few of them. */
    private final List<String> rows;

    private RoutingTrace(final JsonNode meta, final List<String> rows)
    {
        this.experts = meta.get("num_experts").asInt();
        this.topk = meta.get("top_k").asInt();
        this.rows = rows;
    }

    static RoutingTrace load(final String name)
    {
        return LOADED.computeIfAbsent(name, RoutingTrace::read);
    }

    /** Has a scenario take its routes from a trace, or by null at random. */
    static void set(final Scenario scenario, final String name)
    {
        scenario.trace = name;
        scenario.traceRows = null == name ? null : load(name)::slice;
    }

    private static RoutingTrace read(final String name)
    {
        try (BufferedReader reader = new BufferedReader(new InputStreamReader(new GZIPInputStream(
            Objects.requireNonNull(RoutingTrace.class.getResourceAsStream("/traces/" + name + ".jsonl.gz"), name)),
            StandardCharsets.UTF_8)))
        {
            return new RoutingTrace(MAPPER.readTree(reader.readLine()), reader.lines().toList());
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }
    }

    private JsonNode row(final int index)
    {
        try
        {
            return MAPPER.readTree(rows.get(index));
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }
    }

    int size()
    {
        return rows.size();
    }

    int experts()
    {
        return experts;
    }

    /** The first {@code k} choices of consecutive rows, beginning anew after the last one. */
    Routing slice(final int first, final int tokens, final int k)
    {
        if (k > topk)
        {
            throw new IllegalArgumentException("K = " + k + ": the trace has " + topk);
        }

        final long[] idx = new long[tokens * k];
        final float[] weights = new float[idx.length];
        for (int token = 0; token < tokens; token++)
        {
            final JsonNode row = row((first + token) % rows.size());
            for (int i = 0; i < k; i++)
            {
                idx[token * k + i] = row.get("topk_ids").get(i).asLong();
                weights[token * k + i] = (float)row.get("topk_weights").get(i).asDouble();
            }
        }

        return new Routing(tokens, k, idx, weights);
    }
}
