/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.page;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.transload.cli.outcome.CommandException;
import dev.transload.cli.outcome.ExitCodes;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The file that {@code --report} names. */
public final class ReportFile
{
    private static final Logger LOG = LoggerFactory.getLogger(ReportFile.class);
    private static final String OPTION = "--report ";

    private final Path file;

    private ReportFile(final Path file)
    {
        this.file = file;
    }

    /**
     * Refuses at once what could not be written after a long run.
     *
     * @param name as given; a file that is there is replaced.
     * @return the file.
     * @throws CommandException if its folder doesn't exist, or it may not be written.
     */
    public static ReportFile at(final String name)
    {
        final Path file = path(name);
        final Path folder = file.toAbsolutePath().getParent();
        if (name.isBlank() || Files.isDirectory(file))
        {
            throw CommandException.badInput(OPTION + "'" + name + "': it must name a file, not a folder");
        }

        if (!Files.isDirectory(folder))
        {
            throw CommandException.badInput(OPTION + name + ": there is no folder " + folder);
        }

        if (!Files.isWritable(Files.exists(file) ? file : folder))
        {
            throw CommandException.badInput(OPTION + name + ": this user may not write there");
        }

        return new ReportFile(file);
    }

    /**
     * Write the page.
     *
     * @param title plain text.
     * @param data  that the page draws; where and when it was made is added to it.
     * @throws CommandException if the file cannot be written.
     */
    public void write(final String title, final ObjectNode data)
    {
        data.set("made", Origin.now());
        try
        {
            Files.writeString(file, Page.of(title, data));
        }
        catch (final IOException ex)
        {
            throw new CommandException(
                ExitCodes.UNAVAILABLE, OPTION + file + ": it could not be written: " + ex.getMessage(), ex);
        }

        LOG.info("the report is in {}", file);
    }

    private static Path path(final String name)
    {
        try
        {
            return Path.of(name);
        }
        catch (final InvalidPathException ex)
        {
            throw CommandException.badInput(OPTION + "'" + name + "' is not a path: " + ex.getMessage(), ex);
        }
    }
}
