/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.program;

import dev.transload.cli.outcome.Outcome;
import dev.transload.cli.settings.Settings;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Option;

/** What all commands have in common: configuration, how much is said, and where. */
@OptionGroup(CommonOptions.HEADING)
public final class CommonOptions
{
    static final String HEADING = "Options of all commands";

    @Option(names = "--config", paramLabel = "FILE",
        description = "configuration file (default transload.conf in the current directory)")
    private Path config;

    @Option(names = "-D", paramLabel = "KEY=VALUE", description = "a configuration key with its value, such as " +
        "-Dtransload.channels=4")
    private Map<String, String> definitions = new LinkedHashMap<>();

    /** Read before a command runs, see {@link Plugins}; here for its help, and for commands that take it. */
    @Option(names = Plugins.OPTION, paramLabel = "JAR", description = "jar with transports or row " +
        "kernels, for this command and its ranks; can be repeated")
    private List<Path> plugins = List.of();

    @Option(names = "--json", description = "print the result as JSON, and nothing else on standard output")
    private boolean isJson;

    @Option(names = "--verbose", description = "also print stack traces, and what ranks and their libraries write")
    private boolean isVerbose;

    /**
     * All layers of configuration.
     *
     * @param keys that the command's own options stand for.
     * @return settings.
     */
    public Settings settings(final Map<String, String> keys)
    {
        return Settings.load(config, keys, definitions, System.getenv());
    }

    /** How results are told. */
    public boolean isJson()
    {
        return isJson;
    }

    /**
     * A line that a rank or its libraries wrote.
     *
     * @param line to pass on when asked to be verbose.
     */
    public void chatter(final String line)
    {
        if (isVerbose)
        {
            System.err.println(line);
        }
    }

    /** A result. */
    public void print(final String text)
    {
        StandardStreams.result().print(text);
        StandardStreams.result().flush();
    }

    /** Say nothing when a signal ends this process: its launcher, or the command itself, tells of it. */
    public void leaveSignalsToOthers()
    {
        ProgramEnd.isInterrupted();
    }

    /** A bad end: one sentence, and the stack trace when asked to be verbose. */
    public int end(final Outcome outcome)
    {
        return ProgramEnd.end(outcome, isVerbose);
    }
}
