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
import java.util.stream.IntStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A rank's share of its host: the cores that its process may use, and the number of ranks that share them. Ranks on one
 * host share no cores if a launcher bound them to different cores.
 *
 * @param cores   number of cores that the process may use, limited by affinity and quota.
 * @param ranks   number of ranks that share the cores, including this rank.
 * @param index   index of this rank among the ranks that share the cores, from 0.
 * @param allowed numbers of the cores that the process may use; empty if the operating system does not report them.
 * @param leastCoresPerRank smallest number of whole cores per rank in the world, equal on all ranks.
 * @param leastDeviceCores  smallest {@link #deviceCores()} in the world, equal on all ranks.
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
     * Creates a share for a world in which all ranks have equal shares.
     *
     * @param cores   number of cores that the process may use.
     * @param ranks   number of ranks that share the cores, including this rank.
     * @param index   index of this rank among the ranks that share the cores, from 0.
     * @param allowed numbers of the cores that the process may use.
     */
    public HostShare(final int cores, final int ranks, final int index, final CoreSet allowed)
    {
        this(cores, ranks, index, allowed, cores / ranks, deviceCores(cores, ranks));
    }

    /**
     * Exchanges host information with all ranks and returns the share of this rank. All ranks must call this method.
     *
     * @param rendezvous rendezvous of the world.
     * @param timeout    timeout of the exchange.
     * @return share of this rank.
     * @throws dev.transload.rendezvous.RendezvousException if some ranks do not answer.
     */
    public static HostShare learn(final Rendezvous rendezvous, final Duration timeout)
    {
        return of(rendezvous.allGather("transload.cores", ByteBuffer.wrap(offer()), timeout), rendezvous,
            IntStream.range(0, rendezvous.worldSize()).boxed().toList());
    }

    /**
     * Returns the host information that this rank sends to the other ranks.
     *
     * @return encoded information, for {@link #of(List, Rendezvous, List)}.
     */
    public static byte[] offer()
    {
        return (Runtime.getRuntime().availableProcessors() + SEPARATOR + readAllowed())
            .getBytes(StandardCharsets.US_ASCII);
    }

    /**
     * Computes the share of this rank from the host information of all ranks.
     *
     * @param offers     encoded host information, in the order of {@code ranks}.
     * @param rendezvous rendezvous that has the host name of each rank.
     * @param ranks      ranks that gave the information, including this rank.
     * @return share of this rank.
     */
    public static HostShare of(
        final List<ByteBuffer> offers, final Rendezvous rendezvous, final List<Integer> ranks)
    {
        final List<Told> all = new ArrayList<>();
        for (final ByteBuffer theirs : offers)
        {
            final String[] told = StandardCharsets.US_ASCII.decode(theirs).toString().split(SEPARATOR, 2);
            final String host = rendezvous.member(ranks.get(all.size())).host();
            all.add(new Told(host, Integer.parseInt(told[0]), CoreSet.parse(told[1])));
        }

        return of(all, ranks.indexOf(rendezvous.rank()));
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
     * Returns the number of whole cores for each rank.
     *
     * @return number of cores, 0 if ranks outnumber cores.
     */
    public int coresPerRank()
    {
        return cores / ranks;
    }

    /**
     * Returns the number of cores for threads that submit work to a device. A rank that does not share its cores may
     * use all of them for these threads. A rank that shares cores may use half of {@link #coresPerRank()}: with a
     * spinning thread for each core, one call in a hundred would take several times as long.
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
