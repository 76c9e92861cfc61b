/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.cores;

import dev.transload.rendezvous.Rendezvous;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
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
 * @param leastCoresPerRank whole cores for each rank where they are fewest in the world; the same on all ranks.
 * @param leastDeviceCores  fewest {@link #deviceCores()} in the world; the same on all ranks.
 */
public record HostShare(
    int cores, int ranks, int index, CoreSet allowed, int leastCoresPerRank, int leastDeviceCores)
{
    private static final Logger LOGGER = LoggerFactory.getLogger(HostShare.class);
    private static final Path STATUS = Path.of("/proc/self/status");
    private static final String ALLOWED = "Cpus_allowed_list:";
    private static final String SEPARATOR = " ";

    /** What a rank tells the others. */
    record Told(String host, int cores, CoreSet allowed)
    {
        boolean sharesWith(final Told other)
        {
            final boolean isApart =
                !allowed.isEmpty() && !other.allowed.isEmpty() && !allowed.intersects(other.allowed);
            return host.equals(other.host) && !isApart;
        }
    }

    /**
     * In a world whose ranks have the same.
     *
     * @param cores   number of cores that the process has.
     * @param ranks   that share them, this one included.
     * @param index   of this rank among them.
     * @param allowed those cores by number.
     */
    public HostShare(final int cores, final int ranks, final int index, final CoreSet allowed)
    {
        this(cores, ranks, index, allowed, cores / ranks, deviceCores(cores, ranks));
    }

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
        return of(rendezvous.allGather("transload.cores", ByteBuffer.wrap(offer()), timeout), rendezvous);
    }

    /**
     * What a rank tells the others of its host.
     *
     * @return bytes for {@link #of(List, Rendezvous)}.
     */
    public static byte[] offer()
    {
        return (Runtime.getRuntime().availableProcessors() + SEPARATOR + readAllowed())
            .getBytes(StandardCharsets.US_ASCII);
    }

    /**
     * Learn it from what all ranks told.
     *
     * @param offers     by rank.
     * @param rendezvous knows which ranks share a host.
     * @return share of this rank.
     */
    public static HostShare of(final List<ByteBuffer> offers, final Rendezvous rendezvous)
    {
        final List<Told> all = new ArrayList<>();
        for (final ByteBuffer theirs : offers)
        {
            final String[] told = StandardCharsets.US_ASCII.decode(theirs).toString().split(SEPARATOR, 2);
            all.add(new Told(rendezvous.member(all.size()).host(), Integer.parseInt(told[0]), CoreSet.parse(told[1])));
        }

        return of(all, rendezvous.rank());
    }

    static HostShare of(final List<Told> all, final int rank)
    {
        int leastCoresPerRank = Integer.MAX_VALUE;
        int leastDeviceCores = Integer.MAX_VALUE;
        for (final Told each : all)
        {
            final int ranks = sharing(all, each);
            leastCoresPerRank = Math.min(leastCoresPerRank, each.cores / ranks);
            leastDeviceCores = Math.min(leastDeviceCores, deviceCores(each.cores, ranks));
        }

        final Told own = all.get(rank);
        return new HostShare(own.cores, sharing(all, own), sharing(all.subList(0, rank), own), own.allowed,
            leastCoresPerRank, leastDeviceCores);
    }

    private static int sharing(final List<Told> ranks, final Told own)
    {
        return (int)ranks.stream().filter(own::sharesWith).count();
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

    /**
     * Cores for threads that give a device its work: all of a rank that has the host for itself, else half, since one
     * call in a hundred takes several times as long where as many threads spin as there are cores.
     */
    public int deviceCores()
    {
        return deviceCores(cores, ranks);
    }

    private static int deviceCores(final int cores, final int ranks)
    {
        return 1 == ranks ? cores : cores / ranks / 2;
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
