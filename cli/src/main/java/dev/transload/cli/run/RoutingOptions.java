/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.run;

import dev.transload.cli.input.InputOptions;
import java.util.LinkedHashMap;
import java.util.Map;
import picocli.CommandLine.Option;

/** Options of a world and of the routing of its tokens, as given: what {@code run}, {@code tune} and others share. */
public class RoutingOptions
{
    @Option(names = "--nodes", paramLabel = "N", description = "nodes of the world (default 2)")
    private String nodes;

    @Option(names = "--ranks-per-node", paramLabel = "G",
        description = "ranks of each node (default 2, bench 1); 8,8,4: of three nodes that differ")
    private String ranksPerNode;

    @Option(names = "--trace", paramLabel = "FILE", description = "router log (default: the one shipped)")
    private String trace;

    @Option(names = "--tokens", paramLabel = "N", description = "instead: N tokens a rank with random gating")
    private Integer tokens;

    @Option(names = "--experts", paramLabel = "E", description = "experts, padded up to a multiple of the " +
        "ranks (default: as the trace or input says; 256 with --tokens)")
    private Integer experts;

    @Option(names = "--topk", paramLabel = "K", description = "experts of a token (default: as the trace or " +
        "input says; 8 with --tokens)")
    private Integer topk;

    @Option(names = "--hidden", paramLabel = "H", description = "elements of a row (default 2048, or as the " +
        "input says)")
    private Integer hidden;

    @Option(names = "--dtype", paramLabel = "TYPE", description = "of rows: bf16 (default) or fp8")
    private String dtype;

    @Option(names = "--seed", paramLabel = "S", description = "of all random numbers (default " +
        InputOptions.DEFAULT_SEED + ")")
    private long seed = InputOptions.DEFAULT_SEED;

    @Option(names = "--json", description = "as JSON on standard output, nothing else there")
    private boolean isJson;

    /** How results are told. */
    public final boolean isJson()
    {
        return isJson;
    }

    /**
     * What is sent.
     *
     * @return choices, null where none was made.
     */
    public InputOptions input()
    {
        return input(null);
    }

    /**
     * What is sent.
     *
     * @param folder of tensor files, or null.
     * @return choices, null where none was made.
     */
    protected final InputOptions input(final String folder)
    {
        return new InputOptions(trace, tokens, folder, experts, topk, hidden, dtype, seed);
    }

    /**
     * Configuration keys that options stand for.
     *
     * @return values by full key.
     */
    public Map<String, String> keys()
    {
        final Map<String, String> keys = new LinkedHashMap<>();
        put(keys, WorldSettings.NODES, nodes);
        put(keys, WorldSettings.RANKS_PER_NODE, ranksPerNode);
        return keys;
    }

    /**
     * Add a key whose option was given.
     *
     * @param keys  to add to.
     * @param key   full key.
     * @param value null where the option was not given.
     */
    public static void put(final Map<String, String> keys, final String key, final String value)
    {
        if (null != value)
        {
            keys.put(key, value);
        }
    }
}
