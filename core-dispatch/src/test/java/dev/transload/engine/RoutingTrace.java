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
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;

/** What a real model's router chose, from the test resources. */
final class RoutingTrace
{
    private static final Map<String, RoutingTrace> LOADED = new ConcurrentHashMap<>();

    private final int experts;
    private final int topk;
    private final List<JsonNode> rows;

    private RoutingTrace(final JsonNode meta, final List<JsonNode> rows)
    {
        this.experts = meta.get("num_experts").asInt();
        this.topk = meta.get("top_k").asInt();
        this.rows = rows;
    }

    static RoutingTrace load(final String name)
    {
        return LOADED.computeIfAbsent(name, RoutingTrace::read);
    }

    private static RoutingTrace read(final String name)
    {
        final ObjectMapper mapper = new ObjectMapper();
        try (BufferedReader reader = new BufferedReader(new InputStreamReader(Objects.requireNonNull(
            RoutingTrace.class.getResourceAsStream("/traces/" + name + ".jsonl"), name), StandardCharsets.UTF_8)))
        {
            final JsonNode meta = mapper.readTree(reader.readLine());
            final List<JsonNode> rows = new ArrayList<>();
            for (String line = reader.readLine(); null != line; line = reader.readLine())
            {
                rows.add(mapper.readTree(line));
            }

            return new RoutingTrace(meta, rows);
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }
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
        for (int i = 0; i < idx.length; i++)
        {
            final JsonNode row = rows.get((first + i / k) % rows.size());
            idx[i] = row.get("topk_ids").get(i % k).asLong();
            weights[i] = (float)row.get("topk_weights").get(i % k).asDouble();
        }

        return new Routing(tokens, k, idx, weights);
    }
}
