/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.bench;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.transload.cli.launch.RankPlace;
import dev.transload.cli.launch.RankTask;
import dev.transload.cli.launch.SharedMemory;
import dev.transload.cli.outcome.CommandException;
import dev.transload.cli.outcome.ExitCodes;
import dev.transload.engine.KernelRegistry;
import dev.transload.rendezvous.Member;
import dev.transload.rendezvous.Rendezvous;
import dev.transload.spi.Capabilities;
import dev.transload.spi.Capability;
import java.nio.ByteBuffer;
import java.time.Duration;

/** One of the ranks of a bench between ranks. */
public final class ExchangeRank implements RankTask
{
    /** How this task is named to a process. */
    public static final String NAME = ExchangeRank.class.getName();

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Duration LONGEST = Duration.ofMinutes(10);

    /** More than a last-level cache holds, where the machine has the room. */
    private static final long MOST_AREA = 64L << 20;
    private static final long LEAST_AREA = 4L << 20;
    private static final long MOST_HOST_BYTES = 1L << 30;
    private static final long PAGE = 4096;

    @Override
    public JsonNode run(final RankPlace place, final JsonNode description) throws JsonProcessingException
    {
        final ExchangeTask task = JSON.treeToValue(description, ExchangeTask.class);
        return JSON.valueToTree(measure(place, place.rendezvous().get(), task));
    }

    /** Collective, once in the life of a world. */
    static ExchangeReport measure(final RankPlace place, final Rendezvous rendezvous, final ExchangeTask task)
    {
        final long area = areaBytes(place, rendezvous, task);
        try (PeerMesh mesh = new PeerMesh(place, rendezvous, task, area))
        {
            check(mesh, task);
            final boolean isByCopies = mesh.kind().isHost() && ranksHere(rendezvous) == rendezvous.worldSize();
            final Exchange exchange = new Exchange(mesh, rendezvous, task, place.progress(), isByCopies);
            exchange.run();
            // A rank that closed first would look like one that failed.
            rendezvous.allGather("bench.ranks.done", ByteBuffer.allocate(0), LONGEST);
            final Member self = rendezvous.member(place.rank());
            final Capabilities capabilities = mesh.transport().capabilities();
            return new ExchangeReport(place.rank(), self.host(), self.processId(),
                capabilities.version(), capabilities.has(Capability.EMULATED), mesh.kind().name(), area,
                isByCopies ? ExchangeReport.MEMCPY : ExchangeReport.STREAM, exchange.rates(), exchange.latencies());
        }
    }

    private static void check(final PeerMesh mesh, final ExchangeTask task)
    {
        final Capabilities capabilities = mesh.transport().capabilities();
        for (final int size : task.sizes())
        {
            if (size > capabilities.maxPutLength() || 0 != size % capabilities.offsetAlignment())
            {
                throw CommandException.badInput("--sizes: a put of " + size + " bytes is not possible with transport " +
                    task.transport() + ": must be a multiple of " + capabilities.offsetAlignment() + ", at most " +
                    capabilities.maxPutLength());
            }
        }
    }

    /** Memory for each peer, equal on all ranks: of hosts with little shared memory all take less. */
    private static long areaBytes(final RankPlace place, final Rendezvous rendezvous, final ExchangeTask task)
    {
        final int peers = task.pattern().peers(place.rank(), rendezvous.worldSize()).length;
        final boolean isHost = KernelRegistry.discover().kindOf(task.transport()).isHost();
        final long free = isHost ? SharedMemory.freeBytes() / 2 / ranksHere(rendezvous) : MOST_HOST_BYTES;
        long least = Math.min(MOST_AREA, Math.min(free, MOST_HOST_BYTES) / (peers + 1)) / PAGE * PAGE;
        least = Math.min(least, Math.max(LEAST_AREA, pages((long)task.window() * task.largest())));
        for (final ByteBuffer other : rendezvous.allGather("bench.ranks.area",
            ByteBuffer.allocate(Long.BYTES).putLong(0, least), place.settings().engine().openTimeout()))
        {
            least = Math.min(least, other.getLong(other.position()));
        }

        if (least < task.largest())
        {
            throw new CommandException(ExitCodes.UNAVAILABLE, "puts of " + task.largest() +
                " bytes need as much shared memory for each peer of a rank, but there are " + least + " bytes", null);
        }

        return least;
    }

    private static long pages(final long bytes)
    {
        return (bytes + PAGE - 1) / PAGE * PAGE;
    }

    private static int ranksHere(final Rendezvous rendezvous)
    {
        int ranks = 0;
        final String host = rendezvous.member(rendezvous.rank()).host();
        for (int rank = 0; rank < rendezvous.worldSize(); rank++)
        {
            ranks += rendezvous.member(rank).host().equals(host) ? 1 : 0;
        }

        return ranks;
    }
}
