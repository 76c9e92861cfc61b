/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.connect;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Properties;

/** Which build of the engine this is. Messages between ranks have no version, so all ranks must have the same build. */
final class BuildInfo
{
    private static final String RESOURCE = "build.properties";
    private static final String OWN = read();

    private BuildInfo()
    {
    }

    /** Version and commit, as in {@code 1.0.0 (0123456789ab)}. */
    static String own()
    {
        return OWN;
    }

    private static String read()
    {
        try (InputStream stream = BuildInfo.class.getResourceAsStream(RESOURCE))
        {
            if (null == stream)
            {
                throw new FileNotFoundException(RESOURCE + " is not on the class path");
            }

            final Properties properties = new Properties();
            properties.load(stream);
            return properties.getProperty("version") + " (" + properties.getProperty("commit") + ")";
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }
    }
}
