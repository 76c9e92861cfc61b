/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.program;

import dev.transload.cli.settings.Settings;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

/**
 * Keeps standard output for results: after {@link #claim()} whatever else Java code writes there goes to standard
 * error. Native code writes to descriptor 1 whatever Java does; so the launcher script hands the JVM the real standard
 * output as descriptor 0, the only other one that Java can name and that nothing here reads from, and standard error
 * as descriptor 1.
 */
public final class StandardStreams
{
    private static final FileDescriptor STANDARD_OUTPUT =
        Boolean.getBoolean(Settings.SWAPPED_PROPERTY) ? FileDescriptor.in : FileDescriptor.out;

    /** A {@link PrintStream} keeps its troubles to itself; this remembers the first. */
    private static final class Remembering extends FilterOutputStream
    {
        private volatile IOException failure;

        Remembering(final OutputStream out)
        {
            super(out);
        }

        @Override
        public void write(final int value) throws IOException
        {
            write(new byte[]{ (byte)value }, 0, 1);
        }

        @Override
        public void write(final byte[] bytes, final int offset, final int length) throws IOException
        {
            try
            {
                out.write(bytes, offset, length);
            }
            catch (final IOException ex)
            {
                failure = null == failure ? ex : failure;
                throw ex;
            }
        }
    }

    private static Remembering target;
    private static PrintStream result;

    static
    {
        redirect(new FileOutputStream(STANDARD_OUTPUT));
    }

    private StandardStreams()
    {
    }

    /** Standard output is for results from now on. */
    public static void claim()
    {
        System.setOut(System.err);
    }

    /** For tests: results go there from now on. */
    public static synchronized void redirect(final OutputStream out)
    {
        target = new Remembering(out);
        result = new PrintStream(target, false, StandardCharsets.UTF_8);
    }

    /** Where results go. */
    public static synchronized PrintStream result()
    {
        return result;
    }

    /**
     * What was printed so far is written now.
     *
     * @return null if all of it was, else why not.
     */
    public static synchronized IOException failure()
    {
        result.flush();
        return target.failure;
    }
}
