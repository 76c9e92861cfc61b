/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine;

import dev.transload.engine.recording.Recording;
import dev.transload.engine.recording.RecordingFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A drawn world failed. */
public final class FailedWorld extends AssertionError
{
    private static final long serialVersionUID = 1L;
    private static final Path FOLDER = Path.of("target", "recordings");

    private final String source;
    private final String json;

    /**
     * With a recording.
     *
     * @param world     for a person.
     * @param recording of the world.
     * @param cause     what it failed with.
     */
    public FailedWorld(final String world, final Recording recording, final Throwable cause)
    {
        this(world + ": " + cause, recording.source(), RecordingFile.toJson(recording), cause);
    }

    private FailedWorld(final String message, final String source, final String json, final Throwable cause)
    {
        super(message, cause);
        this.source = source;
        this.json = json;
    }

    /**
     * Write the recording to a file.
     *
     * @return the same, which tells how to replay it: by that file, and by its text for when the file is gone.
     */
    public FailedWorld recorded()
    {
        final Path file = FOLDER.resolve(source.replaceAll("[^A-Za-z0-9]+", "-") + ".json");
        String told = "replay it by ./transload replay " + Path.of("core-dispatch").resolve(file) + ", which is";
        try
        {
            Files.createDirectories(FOLDER);
            Files.writeString(file, json);
        }
        catch (final IOException ex)
        {
            told = "replay it by ./transload replay FILE; " + file + " cannot be written (" + ex + "), it would be";
        }

        return new FailedWorld(getMessage() + System.lineSeparator() + told + System.lineSeparator() + json, source,
            json, getCause());
    }

    /**
     * The recording.
     *
     * @return JSON.
     */
    public String json()
    {
        return json;
    }
}
