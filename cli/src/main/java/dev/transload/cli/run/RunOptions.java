/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.run;

import dev.transload.cli.input.InputOptions;
import dev.transload.cli.outcome.CommandException;
import java.util.LinkedHashMap;
import java.util.Map;
import picocli.CommandLine.Option;

/** Options of a run, as given. */
final class RunOptions
{
    @Option(names = "--nodes", paramLabel = "N", description = "nodes of the world (default 2)")
    private String nodes;

    @Option(names = "--ranks-per-node", paramLabel = "G", description = "ranks of each node (default 2)")
    private String ranksPerNode;

    @Option(names = "--in-process", description = "ranks are threads of one JVM, not processes")
    private boolean isInProcess;

    @Option(names = "--scale-out", paramLabel = "NAME", description = "transport between nodes")
    private String scaleOut;

    @Option(names = "--scale-up", paramLabel = "NAME", description = "transport within a node")
    private String scaleUp;

    @Option(names = "--trace", paramLabel = "FILE", description = "router log (default: the one shipped)")
    private String trace;

    @Option(names = "--tokens", paramLabel = "N", description = "instead: N tokens a rank with random gating")
    private Integer tokens;

    @Option(names = "--input", paramLabel = "DIR", description = "instead: rank-0000.safetensors and so on")
    private String input;

    @Option(names = "--experts", paramLabel = "E", description = "experts; padded up to a multiple of the ranks")
    private Integer experts;

    @Option(names = "--topk", paramLabel = "K", description = "choices of a token")
    private Integer topk;

    @Option(names = "--hidden", paramLabel = "H", description = "elements of a row (default 2048)")
    private Integer hidden;

    @Option(names = "--dtype", paramLabel = "TYPE", description = "bf16 or fp8")
    private String dtype;

    @Option(names = "--emulate", description = "emulated devices; comes with the device transports")
    private boolean isEmulated;

    @Option(names = "--mode", paramLabel = "MODE", description = "normal; low-latency comes later")
    private String mode;

    @Option(names = "--max-tokens", paramLabel = "M", description = "comes with --mode low-latency")
    private String maxTokens;

    @Option(names = "--report", paramLabel = "FILE", description = "plots; comes later")
    private String report;

    @Option(names = "--iterations", paramLabel = "N", description = "dispatches, each with its combine (default 1)")
    private int iterations = 1;

    @Option(names = "--channels", paramLabel = "C", description = "lanes through the pipeline")
    private String channels;

    @Option(names = "--seed", paramLabel = "S", description = "of all random numbers")
    private long seed = InputOptions.DEFAULT_SEED;

    @Option(names = "--timeout", paramLabel = "DURATION", description = "of opening and of each call, e.g. 30s")
    private String timeout;

    @Option(names = "--output", paramLabel = "DIR", description = "write all tensors and summary.json there")
    private String output;

    @Option(names = "--metrics-port", paramLabel = "PORT",
        description = "counters as Prometheus text on loopback, rank r at PORT + r; 0: any free ports, printed")
    private String metricsPort;

    @Option(names = "--json", description = "the summary as JSON on standard output, nothing else there")
    private boolean isJson;

    @Option(names = "--inject", paramLabel = "HOW",
        description = "spoil a received row: corrupt-row, swap-rows or drop-row; the run must then fail")
    private String injection;

    boolean isInProcess()
    {
        return isInProcess;
    }

    boolean isJson()
    {
        return isJson;
    }

    int iterations()
    {
        return iterations;
    }

    String output()
    {
        return output;
    }

    String injection()
    {
        return injection;
    }

    InputOptions input()
    {
        return new InputOptions(trace, tokens, input, experts, topk, hidden, dtype, seed);
    }

    /** Configuration keys that options stand for. */
    Map<String, String> keys()
    {
        final Map<String, String> keys = new LinkedHashMap<>();
        put(keys, "transload.nodes", nodes);
        put(keys, "transload.ranks-per-node", ranksPerNode);
        put(keys, "transload.scale-out.transport", scaleOut);
        put(keys, "transload.scale-up.transport", scaleUp);
        put(keys, "transload.channels", channels);
        put(keys, "transload.timeouts.call", timeout);
        put(keys, "transload.timeouts.open", timeout);
        put(keys, "transload.rendezvous.timeout", timeout);
        put(keys, "transload.metrics.port", metricsPort);
        return keys;
    }

    /** Refuses what is not built yet, and what makes no sense whatever the input. */
    void check()
    {
        refuseLater(isEmulated, "--emulate", "comes with the device transports");
        refuseLater(null != report, "--report", "comes in a later version");
        refuseLater(null != maxTokens, "--max-tokens", "comes with --mode low-latency in a later version");
        refuseLater("low-latency".equals(mode), "--mode low-latency", "comes in a later version");
        if (null != mode && !"normal".equals(mode))
        {
            throw CommandException.badInput("--mode " + mode + " is not allowed: must be normal");
        }

        if (iterations < 1)
        {
            throw CommandException.badInput("--iterations " + iterations + " is not allowed: must be at least 1");
        }
    }

    private static void refuseLater(final boolean isAsked, final String option, final String when)
    {
        if (isAsked)
        {
            throw CommandException.badInput(option + " is not available yet: it " + when);
        }
    }

    private static void put(final Map<String, String> keys, final String key, final String value)
    {
        if (null != value)
        {
            keys.put(key, value);
        }
    }
}
