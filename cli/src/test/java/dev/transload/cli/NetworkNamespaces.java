/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Network namespaces of this host. */
final class NetworkNamespaces
{
    private NetworkNamespaces()
    {
    }

    /** Leaves a test out where they cannot be made. */
    static void skip()
    {
        LoudSkip.because("network namespaces cannot be made here (root and iproute2 are needed)");
    }

    /** Whether the command {@code ip} did what these arguments say. */
    static boolean ip(final String... args)
    {
        final List<String> command = new ArrayList<>(List.of("ip"));
        command.addAll(List.of(args));
        try
        {
            return 0 == new ProcessBuilder(command).redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD).start().waitFor();
        }
        catch (final IOException ex)
        {
            System.err.println("ip cannot be started: " + ex.getMessage());
            return false;
        }
        catch (final InterruptedException ex)
        {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
