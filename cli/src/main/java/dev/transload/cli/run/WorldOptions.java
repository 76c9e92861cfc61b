/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.run;

import dev.transload.cli.input.InputOptions;
import dev.transload.cli.outcome.CommandException;
import dev.transload.cli.program.OptionGroup;
import dev.transload.spi.DurationText;
import java.util.Map;
import picocli.CommandLine.Option;

/** Options of a world and of what it exchanges, as given. */
@OptionGroup("Options of a world and its input")
public class WorldOptions extends RoutingOptions
{
    /** Of {@code --scale-out}. */
    public static final String SCALE_OUT = "transport between nodes; of several, separated by commas, the first " +
        "available; a world of one node opens none (default aeron)";

    /** Of {@code --scale-up}. */
    public static final String SCALE_UP =
        "transport within a node; of several, separated by commas, the first available (default aeron)";

    /** Of {@code --emulate}. */
    public static final String EMULATE = "device transports use the emulator from their build, and reports say so; " +
        "without this option a missing device is an error";

    /** Of {@code --timeout}, whose first part a command adds. */
    public static final String DEADLINE = ", as in 30s (default 30s; 2m for the opening of ranks on this machine)";

    /** Lanes through the pipeline. */
    static final String CHANNELS = "transload.channels";

    @Option(names = "--in-process", description = "ranks are threads of one JVM, in place of processes")
    private boolean isInProcess;

    @Option(names = "--scale-out", paramLabel = "NAME", description = SCALE_OUT)
    private String scaleOut;

    @Option(names = "--scale-up", paramLabel = "NAME", description = SCALE_UP)
    private String scaleUp;

    @Option(names = "--emulate", description = EMULATE)
    private boolean isEmulated;

    @Option(names = "--input", paramLabel = "DIR",
        description = "in place of a trace: one file per rank, rank-0000.safetensors and so on")
    private String input;

    @Option(names = "--channels", paramLabel = "C",
        description = "channels of the pipeline; in low-latency mode, channels to each rank (default auto)")
    private String channels;

    @Option(names = "--timeout", paramLabel = "DURATION",
        description = "deadline of opening and of each call" + DEADLINE)
    private String timeout;

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
        put(keys, CHANNELS, channels);
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
