/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.launch;

import dev.transload.cli.outcome.CommandException;
import dev.transload.cli.outcome.ExitCodes;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Free TCP ports of the loopback interface. */
final class Ports
{
    private static final String LOOPBACK = "127.0.0.1";

    /** Below those that the system gives to connections, which would take a port between its choice and its use. */
    private static final int FIRST = 10_000;
    private static final int COUNT = 22_000;
    private static final int ATTEMPTS = 1000;

    private Ports()
    {
    }

    /** An address a rank, all different; they were free a moment ago. */
    static String addresses(final int count)
    {
        final Random random = new SecureRandom();
        final List<ServerSocket> sockets = new ArrayList<>();
        try
        {
            final List<String> addresses = new ArrayList<>();
            for (int i = 0; i < count; i++)
            {
                final ServerSocket socket = bind(random, i);
                sockets.add(socket);
                addresses.add(LOOPBACK + ":" + socket.getLocalPort());
            }

            return String.join(",", addresses);
        }
        finally
        {
            sockets.forEach(Ports::close);
        }
    }

    private static ServerSocket bind(final Random random, final int rank)
    {
        IOException last = null;
        for (int i = 0; i < ATTEMPTS; i++)
        {
            try
            {
                return new ServerSocket(FIRST + random.nextInt(COUNT), 1, InetAddress.getByName(LOOPBACK));
            }
            catch (final IOException ex)
            {
                last = ex;
            }
        }

        throw new CommandException(ExitCodes.UNAVAILABLE,
            "no free port on " + LOOPBACK + " for rank " + rank + ": " + last.getMessage(), last);
    }

    private static void close(final ServerSocket socket)
    {
        try
        {
            socket.close();
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException("a port on " + LOOPBACK + " cannot be given back", ex);
        }
    }
}
