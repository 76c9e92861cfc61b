/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.program;

import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Help;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.UsageMessageSpec;

/** Options of a command by their headings, in the same order in the help, the manual pages and the reference. */
public final class OptionGroups
{
    /** Heading of the options that no other command has. */
    public static final String OWN = "";

    private OptionGroups()
    {
    }

    /**
     * Have the help of a command show its options by their headings.
     *
     * @param command to change.
     */
    public static void inHelp(final CommandLine command)
    {
        command.getCommandSpec().usageMessage().abbreviateSynopsis(true).sortOptions(false);
        command.getHelpSectionMap().put(UsageMessageSpec.SECTION_KEY_OPTION_LIST, OptionGroups::help);
    }

    /**
     * All options.
     *
     * @param command that has them.
     * @return options by heading: {@link #OWN} first, those of all commands last; a class before the one it extends.
     */
    public static Map<String, List<OptionSpec>> of(final CommandSpec command)
    {
        final Map<String, List<OptionSpec>> found = new LinkedHashMap<>();
        command.options().forEach((option) ->
            found.computeIfAbsent(heading(option), (heading) -> new ArrayList<>()).add(option));
        final List<String> headings = new ArrayList<>(found.keySet());
        headings.removeAll(List.of(OWN, CommonOptions.HEADING));
        Collections.reverse(headings);
        headings.add(0, OWN);
        headings.add(CommonOptions.HEADING);
        headings.retainAll(found.keySet());
        final Map<String, List<OptionSpec>> groups = new LinkedHashMap<>();
        headings.forEach((heading) -> groups.put(heading, found.get(heading)));
        return groups;
    }

    /**
     * Commands that have an option.
     *
     * @param program with all commands.
     * @param name    of the option, as {@code --json}.
     * @return names in the order of the program.
     */
    public static List<String> commandsWith(final CommandSpec program, final String name)
    {
        final List<String> commands = new ArrayList<>();
        program.subcommands().forEach((command, line) ->
        {
            if (null != line.getCommandSpec().findOption(name))
            {
                commands.add(command);
            }
        });
        return commands;
    }

    /** The library's own options are those of help and version. */
    private static String heading(final OptionSpec option)
    {
        final Class<?> type = ((Field)option.userObject()).getDeclaringClass();
        final OptionGroup group = type.getAnnotation(OptionGroup.class);
        return null != group ? group.value() :
            type.getPackageName().equals(CommandLine.class.getPackageName()) ? CommonOptions.HEADING : OWN;
    }

    private static String help(final Help help)
    {
        final StringBuilder text = new StringBuilder();
        of(help.commandSpec()).forEach((heading, options) ->
        {
            text.append(OWN.equals(heading) ? "" : System.lineSeparator() + heading + ":" + System.lineSeparator());
            text.append(help.optionListExcludingGroups(options));
        });
        return text.toString();
    }
}
