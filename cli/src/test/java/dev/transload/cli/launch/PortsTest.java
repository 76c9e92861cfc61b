/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.launch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class PortsTest
{
    private static final int RANKS = 4;
    private static final long SEED = 1;

    @Test
    void shouldReservePortsThatNoOtherRunHasReserved()
    {
        try (Ports first = Ports.reserve(RANKS, new Random(SEED));
            Ports second = Ports.reserve(RANKS, new Random(SEED)))
        {
            final List<String> all = new ArrayList<>(first.addresses());
            all.addAll(second.addresses());
            assertEquals(2 * RANKS, new HashSet<>(all).size(), all.toString());
        }
    }

    @Test
    void shouldLeaveOutPortsThatAServerHas() throws IOException
    {
        final int wanted;
        try (Ports ports = Ports.reserve(1, new Random(SEED)))
        {
            wanted = port(ports);
        }

        try (ServerSocket server = new ServerSocket(wanted, 1, InetAddress.getByName("127.0.0.1"));
            Ports ports = Ports.reserve(1, new Random(SEED)))
        {
            assertTrue(server.isBound() && port(ports) != wanted, "port " + wanted + " was reserved");
        }
    }

    @Test
    void shouldLetRanksBindWhatIsReserved() throws IOException
    {
        try (Ports ports = Ports.reserve(1, new Random(SEED));
            ServerSocket rank = new ServerSocket(port(ports), 1, InetAddress.getByName("127.0.0.1")))
        {
            assertEquals(Collections.singletonList("127.0.0.1:" + rank.getLocalPort()), ports.addresses());
        }
    }

    private static int port(final Ports ports)
    {
        return Integer.parseInt(ports.addresses().get(0).substring("127.0.0.1:".length()));
    }
}
