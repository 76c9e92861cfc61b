/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.run;

import dev.transload.cli.input.InputOptions;
import dev.transload.cli.program.OptionGroup;
import java.util.LinkedHashMap;
import java.util.Map;
import picocli.CommandLine.Option;

/** Options of a world and of the routing of its tokens, as given: what {@code run}, {@code tune} and others share. */
@OptionGroup("Options of a world and its routing")
public class RoutingOptions
{
    @Option(names = "--nodes", paramLabel = "N", description = "number of nodes (default 2)")
    private String nodes;

    @Option(names = "--ranks-per-node", paramLabel = "G",
        description = "number of ranks of each node; if nodes differ, one number per node, such as 8,8,4 (default 2, " +
        "or 1 for bench)")
    private String ranksPerNode;

    @Option(names = "--trace", paramLabel = "FILE",
        description = "router log, which has the experts of each token (default the trace that Transload ships)")
    private String trace;

    @Option(names = "--tokens", paramLabel = "N",
        description = "use N tokens per rank in place of a trace; their experts are drawn by group-limited gating")
    private Integer tokens;

    @Option(names = "--experts", paramLabel = "E", description = "number of experts, which is padded to a multiple " +
        "of the number of ranks (default as the trace or input says; 256 with --tokens)")
    private Integer experts;

    @Option(names = "--topk", paramLabel = "K", description = "number of experts per token; if a trace has more, the " +
        "first K of each token are used, with unchanged weights (default as the trace or input says; 8 with --tokens)")
    private Integer topk;

    @Option(names = "--hidden", paramLabel = "H", description = "number of elements per row; the elements are " +
        "normally distributed random numbers (default 2048, or as the input says)")
    private Integer hidden;

    @Option(names = "--dtype", paramLabel = "TYPE", description = "type of rows: bf16 or fp8 (default bf16)")
    private String dtype;

    @Option(names = "--seed", paramLabel = "S", description = "seed of all random numbers (default " +
        InputOptions.DEFAULT_SEED + ")")
    private long seed = InputOptions.DEFAULT_SEED;

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
