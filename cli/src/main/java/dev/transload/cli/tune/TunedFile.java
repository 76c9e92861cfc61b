/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.tune;

import dev.transload.cli.outcome.CommandException;
import dev.transload.cli.run.WorldSettings;
import dev.transload.cli.settings.Settings;
import dev.transload.engine.EngineConfig;
import dev.transload.spi.TransportRegistry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The configuration that a search writes: what was chosen before it, the world that it is for, and what it found. */
final class TunedFile
{
    private final Path path;
    private final Settings settings;
    private final String header;

    /**
     * To be written.
     *
     * @param path     of the file.
     * @param settings with which the search runs.
     * @param header   which world and input it is for.
     * @throws CommandException where no file can be written.
     */
    TunedFile(final Path path, final Settings settings, final String header)
    {
        this.path = path.toAbsolutePath();
        this.settings = settings;
        this.header = header;
        final Path folder = this.path.getParent();
        if (Files.isDirectory(this.path) || !Files.isDirectory(folder) || !Files.isWritable(folder))
        {
            throw CommandException.badInput("--out " + path + ": must be a file in a folder that can be written to");
        }
    }

    Path path()
    {
        return path;
    }

    /** Whole or not at all. */
    void write(final List<String> comments, final Map<String, String> chosen)
    {
        final StringBuilder text = new StringBuilder("# Written by transload tune for ").append(header).append('\n');
        comments.forEach((line) -> text.append("# ").append(line).append('\n'));
        text.append(settings.with(keys(chosen)).renderChosen()).append('\n');
        final Path part = path.resolveSibling(path.getFileName() + ".part");
        try
        {
            Files.writeString(part, text);
            Files.move(part, path, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
        }
        catch (final IOException ex)
        {
            throw CommandException.badInput("--out " + path + ": it cannot be written: " + ex.getMessage(), ex);
        }
    }

    private Map<String, String> keys(final Map<String, String> chosen)
    {
        final EngineConfig config = settings.engine().resolve(TransportRegistry.discover());
        final Map<String, String> keys = new HashMap<>(new Candidate(chosen).keys());
        keys.put(WorldSettings.NODES, String.valueOf(config.nodes()));
        keys.put(WorldSettings.RANKS_PER_NODE, config.world().ranksPerNode());
        keys.put("transload.scale-up.transport", config.scaleUp().transport());
        if (config.nodes() > 1)
        {
            keys.put("transload.scale-out.transport", config.scaleOut().transport());
        }

        return keys;
    }
}
