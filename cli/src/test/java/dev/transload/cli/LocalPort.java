/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli;

import java.io.IOException;
import java.net.ServerSocket;

/** Ports of this host that nobody uses at the moment. */
final class LocalPort
{
    private LocalPort()
    {
    }

    static int free() throws IOException
    {
        try (ServerSocket socket = new ServerSocket(0))
        {
            return socket.getLocalPort();
        }
    }

    /** With the address of the loopback interface. */
    static String freeAddress() throws IOException
    {
        return "127.0.0.1:" + free();
    }
}
