/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.run;

import dev.transload.cli.input.InputOptions;
import dev.transload.cli.outcome.CommandException;
import dev.transload.spi.DurationText;
import java.util.LinkedHashMap;
import java.util.Map;
import picocli.CommandLine.Option;

/** Options of a world and of what it exchanges, as given. */
public class WorldOptions
{
    /** Lanes through the pipeline. */
    static final String CHANNELS = "transload.channels";

    @Option(names = "--nodes", paramLabel = "N", description = "nodes of the world (default 2)")
    private String nodes;

    @Option(names = "--ranks-per-node", paramLabel = "G",
        description = "ranks of each node (default 2); 8,8,4: of three nodes that differ")
    private String ranksPerNode;

    @Option(names = "--in-process", description = "ranks are threads of one JVM, not processes")
    private boolean isInProcess;

    @Option(names = "--scale-out", paramLabel = "NAME", description = "transport between " +
        "nodes (default aeron); of several with commas between, the first that is available")
    private String scaleOut;

    @Option(names = "--scale-up", paramLabel = "NAME", description = "transport within a " +
        "node (default aeron); of several with commas between, the first that is available")
    private String scaleUp;

    @Option(names = "--emulate", description = "device transports use the emulator that their build left")
    private boolean isEmulated;

    @Option(names = "--trace", paramLabel = "FILE", description = "router log (default: the one shipped)")
    private String trace;

    @Option(names = "--tokens", paramLabel = "N", description = "instead: N tokens a rank with random gating")
    private Integer tokens;

    @Option(names = "--input", paramLabel = "DIR", description = "instead: rank-0000.safetensors and so on")
    private String input;

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

    @Option(names = "--channels", paramLabel = "C",
        description = "channels through the pipeline; low latency: channels to each rank (default auto)")
    private String channels;

    @Option(names = "--seed", paramLabel = "S", description = "of all random numbers (default " +
        InputOptions.DEFAULT_SEED + ")")
    private long seed = InputOptions.DEFAULT_SEED;

    @Option(names = "--timeout", paramLabel = "DURATION", description = "deadline of opening and of each " +
        "call, e.g. 30s (default 30s; 2m for the opening of ranks on this machine)")
    private String timeout;

    @Option(names = "--json", description = "as JSON on standard output, nothing else there")
    private boolean isJson;

    /**
     * Whether ranks are threads.
     *
     * @return true for threads of this JVM.
     */
    public boolean isInProcess()
    {
        return isInProcess;
    }

    /**
     * Whether devices are emulated.
     *
     * @return true if device transports are to use their emulators.
     */
    public boolean isEmulated()
    {
        return isEmulated;
    }

    /** How results are told. */
    public boolean isJson()
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
        return new InputOptions(trace, tokens, input, experts, topk, hidden, dtype, seed);
    }

    /**
     * Configuration keys that options stand for.
     *
     * @return values by full key.
     * @throws CommandException if the time-out is no duration, which would be told of one of its keys otherwise.
     */
    public Map<String, String> keys()
    {
        if (null != timeout && DurationText.parse(timeout).isEmpty())
        {
            throw CommandException.badInput(
                "--timeout " + timeout + " is not allowed: must be " + DurationText.ALLOWED);
        }

        final Map<String, String> keys = new LinkedHashMap<>();
        put(keys, "transload.nodes", nodes);
        put(keys, "transload.ranks-per-node", ranksPerNode);
        put(keys, "transload.scale-out.transport", scaleOut);
        put(keys, "transload.scale-up.transport", scaleUp);
        put(keys, CHANNELS, channels);
        put(keys, "transload.timeouts.call", timeout);
        put(keys, "transload.timeouts.open", timeout);
        put(keys, "transload.rendezvous.timeout", timeout);
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
