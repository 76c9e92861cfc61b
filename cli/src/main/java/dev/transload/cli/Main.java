/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli;

import dev.transload.cli.bench.BenchCommand;
import dev.transload.cli.conformance.ConformanceCommand;
import dev.transload.cli.doctor.DoctorCommand;
import dev.transload.cli.outcome.CommandException;
import dev.transload.cli.outcome.ExitCodes;
import dev.transload.cli.outcome.Outcome;
import dev.transload.cli.plan.PlanCommand;
import dev.transload.cli.program.BuildInfo;
import dev.transload.cli.program.Interrupts;
import dev.transload.cli.program.OptionGroups;
import dev.transload.cli.program.Plugins;
import dev.transload.cli.program.ProgramEnd;
import dev.transload.cli.program.ProgramLog;
import dev.transload.cli.program.StandardStreams;
import dev.transload.cli.replay.ReplayCommand;
import dev.transload.cli.run.RunCommand;
import dev.transload.cli.transports.TransportsCommand;
import dev.transload.cli.tune.TuneCommand;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;

/** The program {@code transload}. */
@Command(name = "transload", mixinStandardHelpOptions = true, versionProvider = Main.Version.class,
    description = "Moves Mixture-of-Experts tokens from rank to rank in two stages, over exchangeable transports.",
    subcommands = {
        RunCommand.class, BenchCommand.class, ConformanceCommand.class, TuneCommand.class, PlanCommand.class,
        TransportsCommand.class, ReplayCommand.class, DoctorCommand.class, CommandLine.HelpCommand.class,
        AutoComplete.GenerateCompletion.class })
public final class Main
{
    /** Of the program, and of the Java that it runs on. */
    static final class Version implements CommandLine.IVersionProvider
    {
        @Override
        public String[] getVersion()
        {
            final BuildInfo build = BuildInfo.own();
            return new String[]{
                "transload " + build.version() + ", commit " + build.commit() + ", Java " + Runtime.version() };
        }
    }

    private Main()
    {
    }

    /** With all commands and options. */
    static CommandLine program()
    {
        final CommandLine program = new CommandLine(new Main());
        program.getSubcommands().values().forEach(OptionGroups::inHelp);
        return program;
    }

    public static void main(final String[] args)
    {
        StandardStreams.claim();
        final boolean isVerbose = isVerbose(List.of(args));
        if (isVerbose)
        {
            System.setProperty(ProgramLog.LEVEL, "DEBUG");
        }

        ProgramEnd.tellOfSignals();
        Interrupts.handle();
        final int exitCode = runOrSay(args, isVerbose);
        if (!ProgramEnd.isInterrupted())
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
            return ProgramEnd.end(Outcome.of(ex), isVerbose);
        }
    }

    /** The exit code alone must tell a lost result from a good one. */
    private static int checked(final int exitCode, final boolean isVerbose)
    {
        final IOException lost = StandardStreams.failure();
        if (null == lost)
        {
            return exitCode;
        }

        final int told = ProgramEnd.end(Outcome.of(ExitCodes.UNAVAILABLE,
            "standard output cannot be written, the result is lost: " + lost.getMessage()), isVerbose);
        return ExitCodes.DONE == exitCode ? told : exitCode;
    }

    private static int execute(final String[] args, final boolean isVerbose)
    {
        final CommandLine program = program();
        program.setOut(new java.io.PrintWriter(StandardStreams.result(), true));
        program.setParameterExceptionHandler((ex, given) ->
            ProgramEnd.end(Outcome.of(ExitCodes.BAD_INPUT, ex.getMessage().replaceAll("\\s+", " ") + suggestion(ex) +
                "; see " + ex.getCommandLine().getCommandSpec().qualifiedName() + " --help"), isVerbose));
        program.setExecutionStrategy(Main::runWithPlugins);
        program.setExecutionExceptionHandler((ex, command, result) -> ProgramEnd.end(Outcome.of(ex), isVerbose));
        if (0 == args.length)
        {
            program.usage(StandardStreams.result());
            return ExitCodes.BAD_INPUT;
        }

        return program.execute(args);
    }

    private static int runWithPlugins(final CommandLine.ParseResult parsed)
    {
        final CommandLine.ParseResult command = parsed.hasSubcommand() ? parsed.subcommand() : parsed;
        if (null == command.commandSpec().findOption(Plugins.OPTION) || command.isUsageHelpRequested())
        {
            return new CommandLine.RunLast().execute(parsed);
        }

        final Plugins plugins = open(command);
        try
        {
            return new CommandLine.RunLast().execute(parsed);
        }
        finally
        {
            plugins.close();
        }
    }

    /** Refusals go the way of those of the command itself. */
    private static Plugins open(final CommandLine.ParseResult command)
    {
        try
        {
            return Plugins.open(command.matchedOptionValue(Plugins.OPTION, List.of()));
        }
        catch (final CommandException ex)
        {
            throw new CommandLine.ExecutionException(command.commandSpec().commandLine(), ex.getMessage(), ex);
        }
    }

    /** A similar name is no help where other commands have the very option. */
    private static String suggestion(final CommandLine.ParameterException ex)
    {
        if (!(ex instanceof final CommandLine.UnmatchedArgumentException unmatched))
        {
            return "";
        }

        final CommandSpec command = ex.getCommandLine().getCommandSpec();
        for (final String argument : unmatched.getUnmatched())
        {
            final String option = argument.split("=", 2)[0];
            final List<String> others = OptionGroups.commandsWith(program().getCommandSpec(), option);
            if (!others.isEmpty() && null == command.findOption(option))
            {
                return ": " + command.name() + " has no " + option + " (commands that have it: " +
                    String.join(", ", others) + ")";
            }
        }

        final List<String> similar = unmatched.getSuggestions();
        return similar.isEmpty() ? "" : ": did you mean " + String.join(" or ", similar) + "?";
    }

    private static boolean isVerbose(final List<String> args)
    {
        return args.stream().anyMatch(Arrays.asList("--verbose")::contains);
    }
}
