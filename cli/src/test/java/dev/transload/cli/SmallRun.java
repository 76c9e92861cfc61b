/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.transload.cli.program.StandardStreams;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A run so small that starting processes would take nearly all of its time: its ranks are threads of this JVM. With
 * {@code -Dtest.processes=true}, as in the thorough run, it is a program of its own whose ranks are processes.
 */
final class SmallRun
{
    static final boolean HAS_PROCESSES = Boolean.getBoolean("test.processes");
    private static final String WAYS_OF_UCX = "UCX_TLS";

    private SmallRun()
    {
    }

    /**
     * Run a command to its end; it must leave nothing behind.
     *
     * @param folder    for what a process writes.
     * @param variables of a process; UCX_TLS is given by its key in this JVM.
     * @param args      the command and its options.
     * @return how it ended, and all it said.
     */
    static Program.End end(final Path folder, final Map<String, String> variables, final String... args)
        throws IOException, InterruptedException
    {
        if (!HAS_PROCESSES)
        {
            return here(variables, args);
        }

        final Map<String, String> all = new HashMap<>(UcxHost.SHORT_RUN);
        all.putAll(variables);
        final Program program = Program.start(folder, List.of(), all, args);
        final Program.End end = program.end();
        assertEquals(List.of(), program.left());
        return end;
    }

    private static Program.End here(final Map<String, String> variables, final String... args)
    {
        final List<String> all = new ArrayList<>(Arrays.asList(args));
        if (!all.contains("--in-process"))
        {
            all.add("--in-process");
        }

        if (variables.containsKey(WAYS_OF_UCX))
        {
            all.add("-Dtransload.ucx.tls=" + variables.get(WAYS_OF_UCX));
        }

        return command(all.toArray(String[]::new));
    }

    /**
     * A command that starts no ranks, or has them in this JVM.
     *
     * @param args the command and its options.
     * @return how it ended, and all it said.
     */
    static synchronized Program.End command(final String... args)
    {
        final ByteArrayOutputStream out = new ByteArrayOutputStream();
        final ByteArrayOutputStream err = new ByteArrayOutputStream();
        final PrintStream before = System.err;
        System.setErr(new PrintStream(err, true, StandardCharsets.UTF_8));
        StandardStreams.redirect(out);
        final int exitCode;
        try
        {
            exitCode = Main.run(args, false);
        }
        finally
        {
            StandardStreams.result().flush();
            System.setErr(before);
        }

        return new Program.End(exitCode, out.toString(StandardCharsets.UTF_8), err.toString(StandardCharsets.UTF_8));
    }
}
