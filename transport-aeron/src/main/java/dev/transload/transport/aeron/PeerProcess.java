/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.aeron;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Whether the process of a peer still runs, where that can be seen: on this host, in our namespace of processes. */
final class PeerProcess
{
    private static final Logger LOG = LoggerFactory.getLogger(PeerProcess.class);
    private static final char ZOMBIE = 'Z';
    private static final char DEAD = 'X';

    private PeerProcess()
    {
    }

    static long startMs()
    {
        return ProcessHandle.current().info().startInstant().map(Instant::toEpochMilli).orElse(0L);
    }

    static boolean isVisible(final PeerIdentity own, final PeerIdentity peer)
    {
        return own.pidNamespace().equals(peer.pidNamespace());
    }

    static boolean isGone(final PeerIdentity peer)
    {
        final Optional<ProcessHandle> handle = ProcessHandle.of(peer.pid());
        if (handle.isEmpty() || !handle.get().isAlive())
        {
            return true;
        }

        final long startMs = handle.get().info().startInstant().map(Instant::toEpochMilli).orElse(0L);
        return 0 != startMs && 0 != peer.processStartMs() && startMs != peer.processStartMs() ||
            isDefunct(peer.pid());
    }

    /** A killed process whose parent does not reap it still has its number. */
    private static boolean isDefunct(final long pid)
    {
        final Path stat = Path.of("/proc", Long.toString(pid), "stat");
        if (!Files.isReadable(stat))
        {
            return false;
        }

        try
        {
            final String text = Files.readString(stat);
            final int at = text.lastIndexOf(')') + 2;
            return at < text.length() && (ZOMBIE == text.charAt(at) || DEAD == text.charAt(at));
        }
        catch (final IOException ex)
        {
            LOG.debug("{} vanished", stat, ex);
            return true;
        }
    }
}
