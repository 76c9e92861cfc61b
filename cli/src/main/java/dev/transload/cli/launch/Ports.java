/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.launch;

import dev.transload.cli.outcome.CommandException;
import dev.transload.cli.outcome.ExitCodes;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;

/** Free TCP ports of the loopback interface. */
final class Ports
{
    private static final String LOOPBACK = "127.0.0.1";

    private Ports()
    {
    }

    /** An address a rank, all different; they were free a moment ago. */
    static String addresses(final int count)
    {
        final List<ServerSocket> sockets = new ArrayList<>();
        final List<String> addresses = new ArrayList<>();
        try
        {
            for (int i = 0; i < count; i++)
            {
                final ServerSocket socket = new ServerSocket();
                sockets.add(socket);
                socket.bind(new InetSocketAddress(InetAddress.getByName(LOOPBACK), 0));
                addresses.add(LOOPBACK + ":" + socket.getLocalPort());
            }

            for (final ServerSocket socket : sockets)
            {
                socket.close();
            }
        }
        catch (final IOException ex)
        {
            throw new CommandException(ExitCodes.UNAVAILABLE,
                "no free port on " + LOOPBACK + " for rank " + addresses.size() + ": " + ex.getMessage(), ex);
        }

        return String.join(",", addresses);
    }
}
