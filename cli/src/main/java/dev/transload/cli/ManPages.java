/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli;

import dev.transload.cli.outcome.ExitCodes;
import dev.transload.cli.program.BuildInfo;
import dev.transload.cli.program.OptionGroups;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import picocli.CommandLine;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/**
 * A manual page for the program and each of its commands, in the language of man(7), made from the same descriptions as
 * {@code --help}. The build writes them to {@code target/share/man/man1}.
 */
public final class ManPages
{
    private static final int EXIT_CODE_DIGITS = 3;

    private ManPages()
    {
    }

    /**
     * Write all pages.
     *
     * @param args the folder.
     * @throws IOException if a page cannot be written.
     */
    public static void main(final String[] args) throws IOException
    {
        final Path folder = Files.createDirectories(Path.of(args[0]));
        for (final Map.Entry<String, String> page : all().entrySet())
        {
            Files.writeString(folder.resolve(page.getKey()), page.getValue());
        }
    }

    /** By their file names. */
    static Map<String, String> all()
    {
        final CommandSpec program = Main.program().getCommandSpec();
        final Map<String, String> pages = new TreeMap<>();
        pages.put(fileOf(program), of(program));
        program.subcommands().values().forEach((command) ->
            pages.put(fileOf(command.getCommandSpec()), of(command.getCommandSpec())));
        return pages;
    }

    /** One sentence. */
    static String purpose(final CommandSpec command)
    {
        final String[] header = command.usageMessage().header();
        return 0 == header.length ? command.usageMessage().description()[0] : header[0];
    }

    private static String fileOf(final CommandSpec command)
    {
        return command.qualifiedName("-") + ".1";
    }

    private static String of(final CommandSpec command)
    {
        final List<String> lines = new ArrayList<>();
        final String name = command.qualifiedName("-");
        lines.add(".TH " + quoted(name.toUpperCase(Locale.ROOT)) + " 1 \"\" " +
            quoted("Transload " + BuildInfo.own().version()) + " \"Transload manual\"");
        lines.add(".SH NAME");
        lines.add(text(name) + " \\- " + text(purpose(command).replaceAll("\\.$", "")));
        lines.add(".SH SYNOPSIS");
        lines.add(".B " + text(command.qualifiedName(" ")));
        synopsis(command, lines);
        lines.add(".SH DESCRIPTION");
        lines.add(text(String.join(" ", command.usageMessage().description())));
        if (!command.positionalParameters().isEmpty())
        {
            lines.add(".SH ARGUMENTS");
            command.positionalParameters().forEach((argument) -> entry(lines, argument.paramLabel(), argument));
        }

        lines.add(".SH OPTIONS");
        OptionGroups.of(command).forEach((heading, options) ->
        {
            if (!OptionGroups.OWN.equals(heading))
            {
                lines.add(".SS " + quoted(heading));
            }

            options.forEach((option) -> entry(lines, String.join(", ", option.names()) + label(option), option));
        });
        if (!command.subcommands().isEmpty())
        {
            lines.add(".SH COMMANDS");
            command.subcommands().values().stream().map(CommandLine::getCommandSpec).forEach((sub) ->
            {
                lines.add(".TP");
                lines.add(".BR " + text(sub.qualifiedName("-")) + " (1)");
                lines.add(text(purpose(sub)));
            });
        }

        exitCodes(lines);
        if (null != command.parent())
        {
            lines.add(".SH SEE ALSO");
            lines.add(".BR " + text(command.parent().qualifiedName("-")) + " (1)");
        }

        return lines.stream().collect(Collectors.joining("\n", "", "\n"));
    }

    private static void synopsis(final CommandSpec command, final List<String> lines)
    {
        if (!command.options().isEmpty())
        {
            lines.add(".RI [ options ]");
        }

        for (final PositionalParamSpec argument : command.positionalParameters())
        {
            lines.add(argument.required() ? ".I " + text(argument.paramLabel()) :
                ".RI [ " + text(argument.paramLabel()) + " ]");
        }

        if (!command.subcommands().isEmpty())
        {
            lines.add(".I command");
        }
    }

    private static void entry(final List<String> lines, final String title, final ArgSpec argument)
    {
        lines.add(".TP");
        lines.add(".B " + text(title));
        lines.add(text(String.join(" ", argument.description())));
    }

    /** As picocli shows it: {@code -D} has its key at once, other options a blank or an equals sign. */
    private static String label(final OptionSpec option)
    {
        return 0 == option.arity().max() ? "" :
            (option.longestName().startsWith("--") ? " " : "") + option.paramLabel();
    }

    private static void exitCodes(final List<String> lines)
    {
        final Map<Integer, String> codes = new TreeMap<>(Map.of(
            ExitCodes.DONE, "done and verified",
            ExitCodes.FAILED, "a verification or a run failed",
            ExitCodes.BAD_INPUT, "bad usage or input",
            ExitCodes.UNAVAILABLE, "a transport or a resource (port, /dev/shm, device) is unavailable",
            ExitCodes.PEER_FAILED, "a peer failed or is missing, or a deadline passed"));
        lines.add(".SH EXIT STATUS");
        codes.forEach((code, meaning) ->
        {
            lines.add(".TP " + EXIT_CODE_DIGITS);
            lines.add(".B " + code);
            lines.add(text(meaning));
        });
        lines.add(".TP " + EXIT_CODE_DIGITS);
        lines.add(".B 130, 143");
        lines.add("interrupted by SIGINT (Ctrl\\-C) or SIGTERM");
    }

    private static String quoted(final String text)
    {
        return '"' + text(text) + '"';
    }

    /** Nothing in it is a request, or a hyphen where a word may break: options are copied from here. */
    private static String text(final String text)
    {
        final String escaped = text.replace("%n", " ").strip().replaceAll("\\s+", " ")
            .replace("\\", "\\e").replace("-", "\\-").replace("\"", "\\(dq");
        return escaped.startsWith(".") || escaped.startsWith("'") ? "\\&" + escaped : escaped;
    }
}
