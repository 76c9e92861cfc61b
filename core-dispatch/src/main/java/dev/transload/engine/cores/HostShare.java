/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.cores;

import dev.transload.rendezvous.Rendezvous;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a rank has of its host: the cores that its process may use, and with how many ranks it shares them. Ranks that a
 * launcher bound to different cores of one host share nothing.
 *
 * @param cores   number of cores that the process has, by affinity and by quota.
 * @param ranks   that share them, this one included.
 * @param index   of this rank among them.
 * @param allowed those cores by number, empty where the operating system does not tell.
 */
public record HostShare(int cores, int ranks, int index, CoreSet allowed)
{
    private static final Logger LOGGER = LoggerFactory.getLogger(HostShare.class);
    private static final Path STATUS = Path.of("/proc/self/status");
    private static final String ALLOWED = "Cpus_allowed_list:";

    /**
     * Learn it, collectively.
     *
     * @param rendezvous of the world.
     * @param timeout    of the exchange.
     * @return share of this rank.
     * @throws dev.transload.rendezvous.RendezvousException if ranks do not answer.
     */
    public static HostShare learn(final Rendezvous rendezvous, final Duration timeout)
    {
        final CoreSet allowed = readAllowed();
        final List<ByteBuffer> all = rendezvous.allGather("transload.cores",
            ByteBuffer.wrap(allowed.toString().getBytes(StandardCharsets.US_ASCII)), timeout);
        final String host = rendezvous.member(rendezvous.rank()).host();
        int ranks = 0;
        int index = 0;
        for (int rank = 0; rank < all.size(); rank++)
        {
            final CoreSet theirs = CoreSet.parse(StandardCharsets.US_ASCII.decode(all.get(rank)).toString());
            final boolean isApart = !allowed.isEmpty() && !theirs.isEmpty() && !allowed.intersects(theirs);
            if (rank == rendezvous.rank())
            {
                index = ranks;
            }

            if (host.equals(rendezvous.member(rank).host()) && !isApart)
            {
                ranks++;
            }
        }

        return new HostShare(Runtime.getRuntime().availableProcessors(), ranks, index, allowed);
    }

    /**
     * Cores for each rank.
     *
     * @return whole cores, 0 where ranks outnumber them.
     */
    public int coresPerRank()
    {
        return cores / ranks;
    }

    private static CoreSet readAllowed()
    {
        if (!Files.isReadable(STATUS))
        {
            return CoreSet.EMPTY;
        }

        try
        {
            return Files.readAllLines(STATUS, StandardCharsets.ISO_8859_1).stream()
                .filter((line) -> line.startsWith(ALLOWED)).findFirst()
                .map((line) -> CoreSet.parse(line.substring(ALLOWED.length()).strip())).orElse(CoreSet.EMPTY);
        }
        catch (final IOException ex)
        {
            LOGGER.debug("{} does not say which cores this process may use", STATUS, ex);
            return CoreSet.EMPTY;
        }
    }
}
