/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.run;

import dev.transload.cli.outcome.CommandException;
import dev.transload.cli.verify.ExpertAnswers;
import java.util.Map;
import picocli.CommandLine.Option;

/** Options of a run, as given. */
final class RunOptions extends WorldOptions
{
    private static final String HOST = "host";
    private static final String DEVICE = "device";

    @Option(names = "--report", paramLabel = "FILE", description = "write one HTML page with plots")
    private String report;

    @Option(names = "--iterations", paramLabel = "N",
        description = "number of dispatches, each with its combine (default ${DEFAULT-VALUE})")
    private int iterations = 1;

    @Option(names = "--warmup", paramLabel = "N",
        description = "number of warm-up iterations before the measured ones (default ${DEFAULT-VALUE})")
    private int warmup;

    @Option(names = "--cached",
        description = "dispatches after the first reuse the handle of the first, compute no layout, and send no " +
        "counts and no top-k")
    private boolean isCached;

    @Option(names = "--topk-on", paramLabel = "WHERE",
        description = "memory that holds top-k and results derived from it; WHERE is \"host\" for host memory, or " +
        "\"device\" for the device memory that also holds the rows (default ${DEFAULT-VALUE})")
    private String topkPlace = HOST;

    @Option(names = "--output", paramLabel = "DIR",
        description = "write all tensors of the last iteration, and summary.json")
    private String output;

    @Option(names = "--record", paramLabel = "FILE",
        description = "write a recording for transload replay; in low-latency mode, the recording includes the loss " +
        "of ranks")
    private String record;

    @Option(names = "--metrics-port", paramLabel = "PORT",
        description = "serve counters to Prometheus; rank r serves at port PORT + r of the loopback address, or of " +
        "the address in transload.metrics.address; if PORT is 0, each rank takes a free port, which the command prints")
    private String metricsPort;

    @Option(names = "--answers", paramLabel = "WHAT", description = "what experts answer; WHAT is " +
        "\"distinct\" for a function of row and expert, which makes sums wrong if a row comes from a wrong rank, or " +
        "\"echo\" for the unchanged row (default distinct, but echo with --output or --input)")
    private String answers;

    @Option(names = "--verify-all",
        description = "verify every iteration; by default, a run of more than five iterations verifies some only, so " +
        "that others can be timed")
    private boolean isVerifyingAll;

    @Option(names = "--inject", paramLabel = "HOW",
        description = "damage received rows before verification; HOW is corrupt-row, swap-rows or drop-row; " +
        "verification must then fail, with exit code 1")
    private String injection;

    @Option(names = "--restart-failed", paramLabel = "N", arity = "0..1", fallbackValue = "3",
        description = "restart the process of a lost rank, at most N times in all (3 if N is omitted); all ranks " +
        "then form a new world, in which the run continues")
    private Integer restarts;

    @Option(names = "--explain", paramLabel = "RANK:TOKEN",
        description = "print the path of one token to its experts and back; RANK is the token's source rank, and " +
        "TOKEN is the token's number on that rank")
    private String explained;

    /** Of lost ranks; 0 unless asked for. */
    int restarts()
    {
        return null == restarts ? 0 : restarts;
    }

    /** Ranks can only be started again by who started them. */
    void checkRestarts(final boolean isLaunched)
    {
        if (null != restarts && (isLaunched || isInProcess()))
        {
            throw CommandException.badInput("--restart-failed is not allowed " + (isLaunched ?
                "under another launcher, which started this rank" : "with --in-process") +
                ": this command restarts only processes that it started itself");
        }
    }

    int iterations()
    {
        return iterations;
    }

    int warmup()
    {
        return warmup;
    }

    boolean isCached()
    {
        return isCached;
    }

    boolean isTopkOnDevice()
    {
        return DEVICE.equals(topkPlace);
    }

    String output()
    {
        return output;
    }

    /** Null unless asked for. */
    String report()
    {
        return report;
    }

    /** Null unless asked for. */
    String record()
    {
        return record;
    }

    String injection()
    {
        return injection;
    }

    /** Null unless asked for. */
    String explained()
    {
        return explained;
    }

    /** As asked for; else distinct, unless tensors are written or given, whose combine is that of the rows. */
    String answers()
    {
        return null != answers ? answers :
            null == output && null == input().input() ? ExpertAnswers.DISTINCT : ExpertAnswers.ECHO;
    }

    boolean isVerifyingAll()
    {
        return isVerifyingAll;
    }

    @Override
    public Map<String, String> keys()
    {
        final Map<String, String> keys = super.keys();
        put(keys, "transload.metrics.port", metricsPort);
        return keys;
    }

    @Override
    public void check()
    {
        super.check();
        if (!HOST.equals(topkPlace) && !isTopkOnDevice())
        {
            throw CommandException.badInput("--topk-on " + topkPlace + " is not allowed: must be host or device");
        }

        ExpertAnswers.check(answers());
        refuse(isLowLatency() && isTopkOnDevice(), "--topk-on device", NORMAL);
        refuse(isLowLatency() && isCached, "--cached", NORMAL);
        refuse(isLowLatency() && null != explained, "--explain", NORMAL);
        if (null != record && null != injection)
        {
            throw CommandException.badInput(
                "--record is not allowed with --inject: that spoils rows after the calls, and a replay makes calls");
        }

        if (null != restarts && restarts < 1)
        {
            throw CommandException.badInput("--restart-failed " + restarts + " is not allowed: must be at least 1");
        }

        refuse(isLowLatency() && null != restarts, "--restart-failed", NORMAL);
        if (null != record && null != restarts)
        {
            throw CommandException.badInput("--record is not allowed with --restart-failed: a recording has one world");
        }

        if (iterations < 1)
        {
            throw CommandException.badInput("--iterations " + iterations + " is not allowed: must be at least 1");
        }

        if (warmup < 0)
        {
            throw CommandException.badInput("--warmup " + warmup + " is not allowed: must be at least 0");
        }

        if (warmup > Integer.MAX_VALUE - iterations)
        {
            throw CommandException.badInput("--warmup " + warmup + " is not allowed: must be at most " +
                (Integer.MAX_VALUE - iterations) + " with --iterations " + iterations);
        }

        if (isCached && 1 == iterations && 0 == warmup)
        {
            throw CommandException.badInput("--cached is not allowed with one iteration: the first is never cached");
        }
    }
}
