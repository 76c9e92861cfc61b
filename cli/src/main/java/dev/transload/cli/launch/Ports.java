/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.launch;

import dev.transload.cli.outcome.CommandException;
import dev.transload.cli.outcome.ExitCodes;
import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * TCP ports of the loopback interface, one a rank, reserved for a run. The ranks bind the TCP ports. Meanwhile the
 * launcher holds the UDP ports with the same numbers, which tells launchers of other runs to choose others.
 */
final class Ports implements AutoCloseable
{
    private static final String LOOPBACK = "127.0.0.1";

    /** Below those that the system gives to connections, which would take a port between its choice and its use. */
    private static final int FIRST = 10_000;
    private static final int COUNT = 22_000;
    private static final int ATTEMPTS = 1000;

    private final List<DatagramSocket> reservations = new ArrayList<>();

    private Ports()
    {
    }

    /** Ports that nobody uses, all different. */
    static Ports reserve(final int count)
    {
        return reserve(count, new SecureRandom());
    }

    static Ports reserve(final int count, final Random random)
    {
        final Ports ports = new Ports();
        try
        {
            for (int rank = 0; rank < count; rank++)
            {
                ports.reserveOne(random, rank);
            }

            return ports;
        }
        catch (final CommandException ex)
        {
            ports.close();
            throw ex;
        }
    }

    /** An address a rank. */
    List<String> addresses()
    {
        return reservations.stream().map((reservation) -> LOOPBACK + ":" + reservation.getLocalPort()).toList();
    }

    /** Idempotent. */
    @Override
    public void close()
    {
        reservations.forEach(DatagramSocket::close);
    }

    private void reserveOne(final Random random, final int rank)
    {
        IOException last = null;
        for (int i = 0; i < ATTEMPTS; i++)
        {
            try
            {
                reservations.add(reservation(FIRST + random.nextInt(COUNT)));
                return;
            }
            catch (final IOException ex)
            {
                last = ex;
            }
        }

        throw new CommandException(ExitCodes.UNAVAILABLE,
            "no free port on " + LOOPBACK + " for rank " + rank + ": " + last.getMessage(), last);
    }

    private static DatagramSocket reservation(final int port) throws IOException
    {
        final InetAddress loopback = InetAddress.getByName(LOOPBACK);
        final DatagramSocket reservation = new DatagramSocket(new InetSocketAddress(loopback, port));
        try
        {
            new ServerSocket(port, 1, loopback).close();
            return reservation;
        }
        catch (final IOException ex)
        {
            reservation.close();
            throw ex;
        }
    }
}
