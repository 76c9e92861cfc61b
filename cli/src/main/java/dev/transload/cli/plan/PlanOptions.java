/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.plan;

import dev.transload.cli.input.InputOptions;
import dev.transload.cli.run.WorldOptions;
import dev.transload.cli.run.WorldSettings;
import java.util.LinkedHashMap;
import java.util.Map;
import picocli.CommandLine.Option;

/** Options of {@code plan}, as given. */
final class PlanOptions
{
    @Option(names = "--nodes", paramLabel = "N", description = "nodes of the world (default 2)")
    private String nodes;

    @Option(names = "--ranks-per-node", paramLabel = "G",
        description = "ranks of each node (default 2); 8,8,4: of three nodes that differ")
    private String ranksPerNode;

    @Option(names = "--trace", paramLabel = "FILE", description = "router log (default: the one shipped)")
    private String trace;

    @Option(names = "--tokens", paramLabel = "N", description = "instead: N tokens a rank with random gating")
    private Integer tokens;

    @Option(names = "--experts", paramLabel = "E", description = "experts, padded up to a multiple of the " +
        "ranks (default: as the trace says; 256 with --tokens)")
    private Integer experts;

    @Option(names = "--topk", paramLabel = "K",
        description = "experts of a token (default: as the trace says; 8 with --tokens)")
    private Integer topk;

    @Option(names = "--hidden", paramLabel = "H", description = "elements of a row (default 2048)")
    private Integer hidden;

    @Option(names = "--dtype", paramLabel = "TYPE", description = "of rows: bf16 (default) or fp8")
    private String dtype;

    @Option(names = "--channels", paramLabel = "C", description = "channels through the pipeline (default 2)")
    private String channels;

    @Option(names = "--seed", paramLabel = "S", description = "of all random numbers (default " +
        InputOptions.DEFAULT_SEED + ")")
    private long seed = InputOptions.DEFAULT_SEED;

    @Option(names = "--link", paramLabel = "RATE",
        description = "of a rank's link to other nodes, each way, e.g. 50GB/s or 400Gbit/s: tells limit times")
    private String link;

    @Option(names = "--scale-up", paramLabel = "RATE",
        description = "of a rank's link within the node, each way, e.g. 400GB/s: tells limit times")
    private String scaleUp;

    @Option(names = "--staged", description = "rows that change nodes pass through host memory")
    private boolean isStaged;

    @Option(names = "--json", description = "as JSON on standard output, nothing else there")
    private boolean isJson;

    InputOptions input()
    {
        return new InputOptions(trace, tokens, null, experts, topk, hidden, dtype, seed);
    }

    boolean isStaged()
    {
        return isStaged;
    }

    boolean isJson()
    {
        return isJson;
    }

    /** Bytes a second between nodes, 0 where nothing was said. */
    double linkRate()
    {
        return null == link ? 0 : Bandwidth.parse("--link", link);
    }

    /** Bytes a second within a node, 0 where nothing was said. */
    double scaleUpRate()
    {
        return null == scaleUp ? 0 : Bandwidth.parse("--scale-up", scaleUp);
    }

    /** Configuration keys that options stand for. */
    Map<String, String> keys()
    {
        final Map<String, String> keys = new LinkedHashMap<>();
        WorldOptions.put(keys, WorldSettings.NODES, nodes);
        WorldOptions.put(keys, WorldSettings.RANKS_PER_NODE, ranksPerNode);
        WorldOptions.put(keys, "transload.channels", channels);
        return keys;
    }
}
