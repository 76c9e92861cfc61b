/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.program;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Properties;

/**
 * Which build of the program this is.
 *
 * @param version of the project.
 * @param commit  that was built, abbreviated; with {@code -dirty} where files had changed since, {@code unknown} where
 *                the sources were in no repository.
 */
public record BuildInfo(String version, String commit)
{
    private static final String RESOURCE = "build.properties";

    /** Of this program, as its build wrote it. */
    public static BuildInfo own()
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

    /** As results for scripts have it. */
    public ObjectNode json()
    {
        return JsonNodeFactory.instance.objectNode().put("version", version).put("commit", commit);
    }
}
