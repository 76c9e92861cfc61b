/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.input;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.transload.cli.outcome.CommandException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Reads a router's log, one JSON object a line: a head of type {@code meta}, then a {@code route} for each token.
 * Fields that are not used are ignored; a line that cannot be used is refused by its number.
 */
final class TraceReader
{
    /** The trace that is shipped with the project, relative to the class path's root. */
    static final String SHIPPED = "traces/qwen1.5-moe-a2.7b-layer12.jsonl";

    private static final ObjectMapper JSON =
        new ObjectMapper().enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);

    private final String name;
    private final List<long[]> ids = new ArrayList<>();
    private final List<float[]> weights = new ArrayList<>();
    private final List<Integer> lines = new ArrayList<>();
    private int experts;
    private int topk;
    private int line;

    private TraceReader(final String name)
    {
        this.name = name;
    }

    static Trace read(final Path file)
    {
        try (InputStream in = Files.newInputStream(file))
        {
            return new TraceReader(String.valueOf(file.getFileName())).read(in);
        }
        catch (final NoSuchFileException ex)
        {
            throw CommandException.badInput("--trace " + file + ": there is no such file", ex);
        }
        catch (final IOException ex)
        {
            throw CommandException.badInput("--trace " + file + ": cannot be read: " + ex.getMessage(), ex);
        }
    }

    static Trace readShipped()
    {
        try (InputStream in = TraceReader.class.getClassLoader().getResourceAsStream(SHIPPED))
        {
            if (null == in)
            {
                throw new IllegalStateException(SHIPPED + " is missing on the class path");
            }

            return new TraceReader(SHIPPED.substring(SHIPPED.indexOf('/') + 1)).read(in);
        }
        catch (final IOException ex)
        {
            throw new IllegalStateException(SHIPPED + " cannot be read", ex);
        }
    }

    private Trace read(final InputStream in) throws IOException
    {
        final BufferedReader reader = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8));
        for (String text = reader.readLine(); null != text; text = reader.readLine())
        {
            line++;
            if (!text.isBlank())
            {
                take(parse(text));
            }
        }

        if (ids.isEmpty())
        {
            throw CommandException.badInput(name + " has no line of type \"route\"");
        }

        return new Trace(name, experts, topk, ids.toArray(long[][]::new), weights.toArray(float[][]::new),
            lines.stream().mapToInt(Integer::intValue).toArray());
    }

    private JsonNode parse(final String text)
    {
        try
        {
            return JSON.readTree(text);
        }
        catch (final JsonProcessingException ex)
        {
            throw CommandException.badInput(name + " line " + line + " is not JSON: " + ex.getOriginalMessage(), ex);
        }
    }

    private void take(final JsonNode object)
    {
        switch (object.path("type").asText())
        {
            case "meta" ->
            {
                experts = size(object, "num_experts");
                topk = size(object, "top_k");
            }
            case "route" -> takeRoute(object);
            default -> throw refuse("must be a JSON object with \"type\" \"meta\" or \"route\"");
        }
    }

    private int size(final JsonNode meta, final String field)
    {
        final JsonNode value = meta.path(field);
        if (value.isMissingNode() || value.isNull())
        {
            return 0;
        }

        if (!value.canConvertToInt() || !value.isIntegralNumber() || value.asInt() < 1)
        {
            throw refuse(field + " = " + value + " is not allowed: must be a whole number of at least 1");
        }

        return value.asInt();
    }

    private void takeRoute(final JsonNode route)
    {
        final JsonNode routeIds = route.path("topk_ids");
        final JsonNode routeWeights = route.path("topk_weights");
        if (!routeIds.isArray() || !routeWeights.isArray() || routeIds.isEmpty() ||
            routeIds.size() != routeWeights.size())
        {
            throw refuse("must have topk_ids and topk_weights, two lists of equal length");
        }

        topk = 0 == topk ? routeIds.size() : topk;
        if (routeIds.size() != topk)
        {
            throw refuse("has " + routeIds.size() + " topk_ids, must have " + topk);
        }

        final long[] id = new long[topk];
        final float[] weight = new float[topk];
        for (int k = 0; k < topk; k++)
        {
            if (!routeIds.get(k).isIntegralNumber() || !routeIds.get(k).canConvertToLong())
            {
                throw refuse("topk_ids[" + k + "] = " + routeIds.get(k) + " is not allowed: must be a whole number");
            }

            if (!routeWeights.get(k).isNumber())
            {
                throw refuse("topk_weights[" + k + "] = " + routeWeights.get(k) + " is not allowed: must be a number");
            }

            id[k] = routeIds.get(k).asLong();
            weight[k] = routeWeights.get(k).floatValue();
        }

        ids.add(id);
        weights.add(weight);
        lines.add(line);
    }

    private CommandException refuse(final String what)
    {
        return CommandException.badInput(name + " line " + line + " " + what);
    }
}
