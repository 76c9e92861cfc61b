/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.run;

import dev.transload.cli.input.InputOptions;
import dev.transload.cli.outcome.CommandException;
import dev.transload.cli.program.OptionGroup;
import dev.transload.spi.DurationText;
import java.util.Map;
import picocli.CommandLine.Option;

/** Options of a world, of the mode of its engines and of what it exchanges, as given. */
@OptionGroup("Options of a world and its input")
public class WorldOptions extends RoutingOptions
{
    /** Of {@code --scale-out}. */
    public static final String SCALE_OUT = "transport between nodes, or a list of transports separated by commas, of " +
        "which the first available one is used; a world of one node opens no transport between nodes (default aeron)";

    /** Of {@code --scale-up}. */
    public static final String SCALE_UP = "transport within a node, or a list of transports separated by commas, of " +
        "which the first available one is used (default aeron)";

    /** Of {@code --emulate}. */
    public static final String EMULATE = "device transports use the emulator that was built with them, and each " +
        "report mentions the emulator; without this option, a missing device is an error";

    /** Of {@code --timeout}, whose first part a command adds. */
    public static final String DEADLINE =
        "; for example 30s (default 30s, but 2m for opening ranks that this command starts)";

    /** Name of the mode of the two-stage pipeline. */
    protected static final String NORMAL = "normal";

    private static final String LOW_LATENCY = "low-latency";

    @Option(names = "--mode", paramLabel = "MODE", description = "mode of the engine: normal or low-latency " +
        "(default ${DEFAULT-VALUE})")
    private String mode = NORMAL;

    @Option(names = "--max-tokens", paramLabel = "M",
        description = "in low-latency mode, largest number of tokens of a rank in one call; if a rank has more " +
        "tokens, they are sent in several calls (default 128)")
    private String maxTokens;

    @Option(names = "--in-process", description = "run ranks as threads of one JVM, not as processes")
    private boolean isInProcess;

    @Option(names = "--scale-out", paramLabel = "NAME", description = SCALE_OUT)
    private String scaleOut;

    @Option(names = "--scale-up", paramLabel = "NAME", description = SCALE_UP)
    private String scaleUp;

    @Option(names = "--emulate", description = EMULATE)
    private boolean isEmulated;

    @Option(names = "--input", paramLabel = "DIR",
        description = "directory to read in place of a trace; it has one file per rank, rank-0000.safetensors and so " +
        "on")
    private String input;

    @Option(names = "--channels", paramLabel = "C",
        description = "number of channels of the pipeline; in low-latency mode, number of transport channels to each " +
        "rank (default auto)")
    private String channels;

    @Option(names = "--timeout", paramLabel = "DURATION",
        description = "deadline for opening the ranks, and for each call" + DEADLINE)
    private String timeout;

    /**
     * Which mode.
     *
     * @return true for low latency, false for the two-stage pipeline.
     */
    public final boolean isLowLatency()
    {
        return LOW_LATENCY.equals(mode);
    }

    /**
     * Name of the mode.
     *
     * @return as given.
     */
    public final String modeName()
    {
        return mode;
    }

    /**
     * Refuse what makes no sense whatever the input.
     *
     * @throws CommandException with exit code 2.
     */
    public void check()
    {
        if (!NORMAL.equals(mode) && !isLowLatency())
        {
            throw CommandException.badInput("--mode " + mode + " is not allowed: must be normal or low-latency");
        }

        refuse(!isLowLatency() && null != maxTokens, "--max-tokens", LOW_LATENCY);
    }

    /**
     * Refuse an option of the other mode.
     *
     * @param isAsked whether it was given in this one.
     * @param option  name.
     * @param itsMode mode that it belongs to.
     * @throws CommandException with exit code 2.
     */
    protected static void refuse(final boolean isAsked, final String option, final String itsMode)
    {
        if (isAsked)
        {
            throw CommandException.badInput(option + " is not allowed: it needs --mode " + itsMode);
        }
    }

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

    @Override
    public InputOptions input()
    {
        return input(input);
    }

    @Override
    public Map<String, String> keys()
    {
        final Map<String, String> keys = super.keys();
        put(keys, "transload.scale-out.transport", scaleOut);
        put(keys, "transload.scale-up.transport", scaleUp);
        put(keys, isLowLatency() ? "transload.low-latency.channels" : "transload.channels", channels);
        put(keys, "transload.low-latency.max-tokens", maxTokens);
        putTimeout(keys, timeout);
        return keys;
    }

    /**
     * Add the keys that {@code --timeout} stands for.
     *
     * @param keys    to add to.
     * @param timeout null where the option was not given.
     * @throws CommandException if it is no duration, which would be told of one of its keys otherwise.
     */
    public static void putTimeout(final Map<String, String> keys, final String timeout)
    {
        if (null != timeout && DurationText.parse(timeout).isEmpty())
        {
            throw CommandException.badInput(
                "--timeout " + timeout + " is not allowed: must be " + DurationText.ALLOWED);
        }

        put(keys, "transload.timeouts.call", timeout);
        put(keys, "transload.timeouts.open", timeout);
        put(keys, "transload.rendezvous.timeout", timeout);
    }
}
