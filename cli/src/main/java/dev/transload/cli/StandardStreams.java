/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

/** Keeps standard output for results: after {@link #claim()} whatever else is written there goes to standard error. */
final class StandardStreams
{
    private static final PrintStream RESULT =
        new PrintStream(new FileOutputStream(FileDescriptor.out), false, StandardCharsets.UTF_8);

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
