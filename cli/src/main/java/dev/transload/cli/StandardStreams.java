/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli;

import dev.transload.cli.settings.Settings;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

/**
 * Keeps standard output for results: after {@link #claim()} whatever else Java code writes there goes to standard
 * error. Native code writes to descriptor 1 whatever Java does; so the launcher script hands the JVM the real standard
 * output as descriptor 0, the only other one that Java can name and that nothing here reads from, and standard error
 * as descriptor 1.
 */
final class StandardStreams
{
    private static final FileDescriptor STANDARD_OUTPUT =
        Boolean.getBoolean(Settings.SWAPPED_PROPERTY) ? FileDescriptor.in : FileDescriptor.out;

    private static final PrintStream RESULT =
        new PrintStream(new FileOutputStream(STANDARD_OUTPUT), false, StandardCharsets.UTF_8);

    private StandardStreams()
    {
    }

    static void claim()
    {
        System.setOut(System.err);
    }

    static PrintStream result()
    {
        return RESULT;
    }
}
