/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.connect;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Properties;

/**
 * Which build of the engine this is. Messages between ranks have no version, so all ranks must have the same build.
 *
 * @param version of the project.
 * @param commit  that was built, abbreviated; with {@code -dirty} where files had changed since, {@code unknown} where
 *                the sources were in no repository.
 */
public record BuildInfo(String version, String commit)
{
    private static final String RESOURCE = "build.properties";
    private static final BuildInfo OWN = read();

    /** Of this engine, as its build wrote it. */
    public static BuildInfo own()
    {
        return OWN;
    }

    private static BuildInfo read()
    {
        try (InputStream stream = BuildInfo.class.getResourceAsStream(RESOURCE))
        {
            if (null == stream)
            {
                throw new FileNotFoundException(RESOURCE + " is not on the class path");
            }

            final Properties properties = new Properties();
            properties.load(stream);
            return new BuildInfo(properties.getProperty("version"), properties.getProperty("commit"));
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }
    }

    /** As in {@code 1.0.0 (0123456789ab)}. */
    @Override
    public String toString()
    {
        return version + " (" + commit + ")";
    }
}
