/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli;

import dev.transload.cli.bench.BenchCommand;
import dev.transload.cli.conformance.ConformanceCommand;
import dev.transload.cli.outcome.ExitCodes;
import dev.transload.cli.outcome.Outcome;
import dev.transload.cli.run.RunCommand;
import dev.transload.cli.transports.TransportsCommand;
import dev.transload.cli.tune.TuneCommand;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** The program {@code transload}. */
@Command(name = "transload", mixinStandardHelpOptions = true, versionProvider = Main.Version.class,
    description = "Moves Mixture-of-Experts tokens from rank to rank in two stages, over exchangeable transports.",
    subcommands = {
        RunCommand.class, TransportsCommand.class, ConformanceCommand.class, BenchCommand.class, TuneCommand.class })
public final class Main
{
    /** Read by the logging configuration; no key of ours, since it must be known before anything is read. */
    private static final String LOG_LEVEL = "dev.transload.log";

    /** From the manifest of the jar, where there is one. */
    static final class Version implements CommandLine.IVersionProvider
    {
        @Override
        public String[] getVersion()
        {
            final String version = Main.class.getPackage().getImplementationVersion();
            return new String[]{ "transload " + (null == version ? "(development build)" : version) +
                ", Java " + Runtime.version() };
        }
    }

    /** Runs if a signal ends this program; the JVM's exit code is 128 and the signal's number then. */
    private static final Thread INTERRUPTED =
        new Thread(() -> System.err.println("transload: interrupted by a signal before the end"),
            "transload-interrupted");

    private Main()
    {
    }

    /**
     * Entry.
     *
     * @param args command and options.
     */
    public static void main(final String[] args)
    {
        StandardStreams.claim();
        final boolean isVerbose = isVerbose(List.of(args));
        if (isVerbose)
        {
            System.setProperty(LOG_LEVEL, "DEBUG");
        }

        Runtime.getRuntime().addShutdownHook(INTERRUPTED);
        final int exitCode = runOrSay(args, isVerbose);
        if (!isInterrupted())
        {
            System.exit(exitCode);
        }
    }

    /** Where even the classes that say what is wrong cannot be loaded, as without file descriptors. */
    private static int runOrSay(final String[] args, final boolean isVerbose)
    {
        try
        {
            return run(args, isVerbose);
        }
        catch (final RuntimeException | Error ex)
        {
            System.err.println("transload: this program cannot run: " + ex + "; are files of it missing, or too few " +
                "open ones allowed (ulimit -n)?");
            return ExitCodes.UNAVAILABLE;
        }
    }

    static int run(final String[] args, final boolean isVerbose)
    {
        try
        {
            return checked(execute(args, isVerbose), isVerbose);
        }
        catch (final RuntimeException | Error ex)
        {
            return end(Outcome.of(ex), isVerbose);
        }
    }

    /** Whoever reads the exit code alone must not take a lost result for a good one. */
    private static int checked(final int exitCode, final boolean isVerbose)
    {
        final IOException lost = StandardStreams.failure();
        if (null == lost)
        {
            return exitCode;
        }

        final int told = end(Outcome.of(ExitCodes.UNAVAILABLE,
            "standard output cannot be written, the result is lost: " + lost.getMessage()), isVerbose);
        return ExitCodes.DONE == exitCode ? told : exitCode;
    }

    private static int execute(final String[] args, final boolean isVerbose)
    {
        final CommandLine program = new CommandLine(new Main());
        program.setOut(new java.io.PrintWriter(StandardStreams.result(), true));
        program.setParameterExceptionHandler((ex, given) ->
            end(Outcome.of(ExitCodes.BAD_INPUT, ex.getMessage().replaceAll("\\s+", " ") + "; see " +
                ex.getCommandLine().getCommandSpec().qualifiedName() + " --help"), isVerbose));
        program.setExecutionExceptionHandler((ex, command, result) -> end(Outcome.of(ex), isVerbose));
        if (0 == args.length)
        {
            program.usage(StandardStreams.result());
            return ExitCodes.BAD_INPUT;
        }

        return program.execute(args);
    }

    /** One sentence; none while a signal ends this program, since what fails then is not the cause of its end. */
    static int end(final Outcome outcome, final boolean isVerbose)
    {
        if (isInterrupted())
        {
            return outcome.exitCode();
        }

        if (isVerbose && !outcome.trace().isEmpty())
        {
            System.err.print(outcome.trace());
        }

        System.err.println("transload: " + outcome.sentence());
        return outcome.exitCode();
    }

    /** From now on a signal is too late to be told of, unless it came already. */
    static boolean isInterrupted()
    {
        try
        {
            Runtime.getRuntime().removeShutdownHook(INTERRUPTED);
            return false;
        }
        catch (final IllegalStateException ex)
        {
            // The JVM is ending, so that the hook runs already.
            return true;
        }
    }

    private static boolean isVerbose(final List<String> args)
    {
        return args.stream().anyMatch(Arrays.asList("--verbose")::contains);
    }
}
