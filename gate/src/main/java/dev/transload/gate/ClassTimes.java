/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.gate;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Writes what processor time each test class takes, with the processes that it starts, to a file for {@link GateTable}.
 * The build switches it on by system properties.
 */
public final class ClassTimes implements BeforeAllCallback, AfterAllCallback
{
    /** File that the times are added to; unset, nothing is measured. */
    static final String FILE = "gate.times";
    /** What this build is called in the file. */
    static final String BUILD = "gate.build";

    private static final ExtensionContext.Namespace NAMESPACE = ExtensionContext.Namespace.create(ClassTimes.class);

    @Override
    public void beforeAll(final ExtensionContext context)
    {
        if (isMeasured(context))
        {
            context.getStore(NAMESPACE).put(FILE, new long[]{ ProcessorTime.nowNs(), System.nanoTime() });
        }
    }

    @Override
    public void afterAll(final ExtensionContext context) throws IOException
    {
        final long[] begun = context.getStore(NAMESPACE).remove(FILE, long[].class);
        if (null == begun)
        {
            return;
        }

        final String name = context.getRequiredTestClass().getName();
        final long processorNs = ProcessorTime.nowNs() - begun[0];
        final long wallNs = System.nanoTime() - begun[1];
        final String line = String.join("\t", System.getProperty(BUILD, "?"), name,
            String.valueOf(TimeUnit.NANOSECONDS.toMillis(processorNs)),
            String.valueOf(TimeUnit.NANOSECONDS.toMillis(wallNs)),
            System.getProperty("java.specification.version"));
        final Path file = Path.of(System.getProperty(FILE));
        Files.createDirectories(file.toAbsolutePath().getParent());
        // One short write at the end of the file, so that lines of test JVMs that run at the same time stay whole.
        Files.writeString(file, line + '\n', StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    }

    /** A nested class is a part of the class around it. */
    private static boolean isMeasured(final ExtensionContext context)
    {
        final boolean isNested = context.getParent().flatMap(ExtensionContext::getTestClass).isPresent();
        return null != System.getProperty(FILE) && !isNested;
    }
}
