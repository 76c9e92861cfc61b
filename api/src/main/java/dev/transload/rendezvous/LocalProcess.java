/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.rendezvous;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;

/** Describes this process to the other ranks. */
public final class LocalProcess
{
    /** Low bits of an incarnation that are random; the rest is the time in ms, which a later life exceeds. */
    private static final int RANDOM_BITS = 21;

    private static final SecureRandom RANDOM = new SecureRandom();

    private LocalProcess()
    {
    }

    /**
     * Describes this process as a member of a world, with a new incarnation: a positive number that no other process of
     * the rank uses and that increases with the host's clock.
     *
     * @param rank rank of this process in the world.
     * @return description of this process.
     */
    public static Member asMember(final int rank)
    {
        final long incarnation = System.currentTimeMillis() << RANDOM_BITS | RANDOM.nextInt(1 << RANDOM_BITS);
        return new Member(rank, incarnation, hostName(), ProcessHandle.current().pid());
    }

    /** The kernel is asked first: a resolver that doesn't answer would hold up the start for seconds. */
    private static String hostName()
    {
        final Path kernelName = Path.of("/proc/sys/kernel/hostname");
        try
        {
            if (Files.isReadable(kernelName))
            {
                return Files.readString(kernelName).strip();
            }
            return InetAddress.getLocalHost().getHostName();
        }
        catch (final UnknownHostException ex)
        {
            return "unknown host";
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException("cannot read the host's name from " + kernelName, ex);
        }
    }
}
