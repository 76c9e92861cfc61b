/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.bench;

import dev.transload.cli.input.InputOptions;
import dev.transload.cli.outcome.CommandException;
import dev.transload.cli.program.OptionGroup;
import dev.transload.cli.run.RoutingOptions;
import dev.transload.cli.run.WorldOptions;
import dev.transload.rendezvous.LaunchEnvironment;
import dev.transload.spi.DurationText;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.Option;

/** Options of a bench between the ranks of a world, as given. */
@OptionGroup("Options between ranks")
final class ExchangeOptions extends RoutingOptions
{
    private static final String DEFAULT_SIZES = "8,64,512,4k,14336,64k,256k,1m";
    private static final String DEFAULT_DURATION = "500ms";
    private static final Duration MOST_DURATION = Duration.ofHours(1);
    private static final int DEFAULT_WINDOW = 64;
    private static final int MOST_WINDOW = 1 << 16;
    private static final int MOST_ITERATIONS = 1_000_000_000;
    private static final int MOST_CALLS = 1_000_000;
    private static final int DEFAULT_CALLS = 100;
    private static final String PUT = "put";
    private static final int MOST_RANKS = 1 << 16;
    private static final int MOST_BYTES = 1 << 30;
    private static final Pattern SIZE = Pattern.compile("(\\d{1,10})([km]?)");
    private static final Map<String, Integer> UNITS = Map.of("", 0, "k", 10, "m", 20);

    @Option(names = "--mode", paramLabel = "MODE", description = "what to measure; \"put\" is for puts; " +
        "\"dispatch\", \"combine\" and \"low-latency\" are for calls of the engine with this transport in both " +
        "stages (default put)")
    private String mode;

    @Option(names = "--pattern", paramLabel = "NAME",
        description = "which ranks put to each other; NAME is \"pairs\" for rank r of P ranks and rank r + P/2, " +
        "or \"all-to-all\" for all ranks (default pairs)")
    private String pattern;

    @Option(names = "--sizes", paramLabel = "LIST",
        description = "sizes of puts in bytes; the suffix k multiplies a size by 1024, and m by 1024 x 1024 (default " +
        DEFAULT_SIZES + ")")
    private String sizes;

    @Option(names = "--iterations", paramLabel = "N",
        description = "for puts, number of puts of each size to each peer and number of round trips, in place of " +
        "--duration. For calls of the engine, number of dispatches, each with its combine; the same number of " +
        "warm-up dispatches comes first (default as many puts as --duration allows, or " + DEFAULT_CALLS +
        " dispatches)")
    private Integer iterations;

    @Option(names = "--duration", paramLabel = "DURATION",
        description = "approximate time of the puts of each size, at most 1h (default " + DEFAULT_DURATION + ")")
    private String duration;

    @Option(names = "--window", paramLabel = "N",
        description = "number of puts in flight to each peer (default " + DEFAULT_WINDOW + ")")
    private Integer window;

    @Option(names = "--check", description = "compare all received bytes, and end with exit code 1 if a byte is " +
        "wrong; for calls of the engine, verify every iteration")
    private boolean isChecking;

    @Option(names = "--csv", description = "print the result as CSV, and nothing else on standard output")
    private boolean isCsv;

    @Option(names = "--rank", paramLabel = "R", description = "rank of this process, if no launcher sets it")
    private Integer rank;

    @Option(names = "--world", paramLabel = "N", description = "number of ranks of the world; goes " +
        "with --rank")
    private Integer world;

    @Option(names = "--rendezvous", paramLabel = "HOST:PORT",
        description = "address at which rank 0 listens for the other ranks; goes with --rank")
    private String rendezvous;

    @Option(names = "--timeout", paramLabel = "DURATION",
        description = "deadline for opening the ranks, and for each wait" + WorldOptions.DEADLINE)
    private String timeout;

    /** Whether an option was given that only a bench between the ranks of a world has. */
    boolean isAsked()
    {
        return null != mode || !super.keys().isEmpty() || null != ofRouting() || null != pattern ||
            null != sizes || null != iterations || null != duration || null != window || isChecking || isCsv;
    }

    /** What of the engine is measured; null for puts. */
    EngineMode engineMode()
    {
        return null == mode || PUT.equals(mode) ? null : EngineMode.named(mode);
    }

    /** An option that only calls of the engine have, null where none was given. */
    private String ofRouting()
    {
        final InputOptions input = input();
        return null != input.tokens() ? "--tokens" : null != input.trace() ? "--trace" :
            null != input.experts() ? "--experts" : null != input.topk() ? "--topk" :
            null != input.hidden() ? "--hidden" : null != input.dtype() ? "--dtype" : null;
    }

    /**
     * What the run behind {@link #engineMode()} is made of.
     *
     * @return iterations.
     * @throws CommandException if an option was given that only puts have.
     */
    int calls()
    {
        final String ofPuts = null != pattern ? "--pattern" : null != sizes ? "--sizes" :
            null != duration ? "--duration" : null != window ? "--window" : null;
        if (null != ofPuts)
        {
            throw CommandException.badInput(ofPuts + " is not allowed with --mode " + mode + ": it needs --mode put");
        }

        return null == iterations ? DEFAULT_CALLS : requireIn("--iterations", iterations, 1, MOST_CALLS);
    }

    /** Whether every call is verified, not as many as time allows. */
    boolean isChecking()
    {
        return isChecking;
    }

    boolean isCsv()
    {
        return isCsv;
    }

    /**
     * The place of this process, by a launcher or by the options.
     *
     * @param variables of the environment.
     * @return empty where this process is no rank among others.
     * @throws CommandException if an option is missing or does not fit the others.
     */
    Optional<LaunchEnvironment> environment(final Map<String, String> variables)
    {
        final Map<String, String> all = new HashMap<>(variables);
        if (null != rendezvous)
        {
            all.put(LaunchEnvironment.ADDRESS_VARIABLE, rendezvous);
        }

        if (null != rank || null != world)
        {
            checkPlace(all);
            all.put("TRANSLOAD_RANK", String.valueOf(rank));
            all.put("TRANSLOAD_WORLD_SIZE", String.valueOf(world));
        }

        final Optional<LaunchEnvironment> found = LaunchEnvironment.detect(all);
        if (found.isEmpty() && null != rendezvous)
        {
            throw CommandException.badInput("--rendezvous " + rendezvous +
                " needs --rank and --world, or a launcher that tells them, as mpirun or srun");
        }

        return found.filter((launched) -> launched.worldSize() > 1);
    }

    private void checkPlace(final Map<String, String> variables)
    {
        if (null == rank || null == world)
        {
            throw CommandException.badInput(null == rank ?
                "--world " + world + " needs --rank, the number of this one" :
                "--rank " + rank + " needs --world, the number of ranks");
        }

        requireIn("--world", world, 2, MOST_RANKS);
        requireIn("--rank", rank, 0, world - 1);
        if (!variables.containsKey(LaunchEnvironment.ADDRESS_VARIABLE))
        {
            throw CommandException.badInput(
                "--rank " + rank + " needs --rendezvous, host:port where rank 0 listens for the others");
        }
    }

    @Override
    public Map<String, String> keys()
    {
        final Map<String, String> keys = super.keys();
        WorldOptions.putTimeout(keys, timeout);
        return keys;
    }

    /**
     * What all ranks do.
     *
     * @param transport name.
     * @param devices   ordinals that were asked for.
     * @param ranks     of the world.
     * @return task.
     * @throws CommandException naming an option that is out of range.
     */
    ExchangeTask task(final String transport, final List<Integer> devices, final int ranks)
    {
        if (null != iterations && null != duration)
        {
            throw CommandException.badInput("--iterations " + iterations + " is not allowed with --duration " +
                duration + ": either says how long");
        }

        if (null != ofRouting())
        {
            throw CommandException.badInput(ofRouting() + " is not allowed with --mode put: it needs --mode " +
                "dispatch, combine or low-latency");
        }

        final ExchangePattern between = null == pattern ? ExchangePattern.PAIRS : ExchangePattern.named(pattern);
        if (ExchangePattern.PAIRS == between && 0 != ranks % 2)
        {
            throw CommandException.badInput("--pattern pairs is not allowed with " + ranks +
                " ranks: their number must be even; or take --pattern all-to-all");
        }

        return new ExchangeTask(transport, devices, between, bytes(null == sizes ? DEFAULT_SIZES : sizes),
            null == iterations ? 0 : requireIn("--iterations", iterations, 1, MOST_ITERATIONS),
            durationNs(null == duration ? DEFAULT_DURATION : duration),
            null == window ? DEFAULT_WINDOW : requireIn("--window", window, 1, MOST_WINDOW), isChecking);
    }

    private static long durationNs(final String text)
    {
        return DurationText.parse(text).filter((time) -> time.compareTo(MOST_DURATION) <= 0)
            .orElseThrow(() -> CommandException.badInput("--duration " + text + " is not allowed: must be " +
                DurationText.ALLOWED + ", at most 1h")).toNanos();
    }

    private static int[] bytes(final String list)
    {
        final String[] texts = list.split(",", -1);
        final int[] sizes = new int[texts.length];
        for (int i = 0; i < texts.length; i++)
        {
            final Matcher matcher = SIZE.matcher(texts[i].strip());
            final long size = matcher.matches() ? Long.parseLong(matcher.group(1)) << UNITS.get(matcher.group(2)) : 0;
            if (size < 1 || size > MOST_BYTES)
            {
                throw CommandException.badInput("--sizes " + list + " is not allowed: each must be a number of bytes " +
                    "in [1, 1024m], as 512, 4k or 1m");
            }

            sizes[i] = (int)size;
        }

        return sizes;
    }

    private static int requireIn(final String option, final int value, final int least, final int most)
    {
        if (value < least || value > most)
        {
            throw CommandException.badInput(
                option + " " + value + " is not allowed: must be in [" + least + ", " + most + "]");
        }

        return value;
    }
}
