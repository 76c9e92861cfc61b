/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.launch;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.transload.cli.outcome.CommandException;
import dev.transload.cli.outcome.ExitCodes;
import dev.transload.cli.outcome.Outcome;
import dev.transload.cli.settings.Settings;
import dev.transload.engine.SizeConfig;
import dev.transload.rendezvous.LaunchEnvironment;
import dev.transload.rendezvous.Rendezvous;
import dev.transload.rendezvous.RendezvousException;
import dev.transload.rendezvous.jgroups.JGroupsRendezvous;
import dev.transload.rendezvous.jgroups.JGroupsRendezvousConfig;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** This process is one rank, which another launcher (mpirun, srun, torchrun …) started. Rank 0 has all reports. */
public final class OwnRank
{
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String ADDRESS = "transload.rendezvous.address";
    private static final String RING_MEMORY = "transload.ring-memory";

    /** Ranks end apart by as much as their verifications differ. */
    private static final Duration GATHER = Duration.ofMinutes(10);

    private OwnRank()
    {
    }

    /**
     * Run a task as one rank of a world.
     *
     * @param task        of each rank.
     * @param description of the task.
     * @param settings    equal on all ranks.
     * @param environment of the launcher.
     * @param progress    to tell of this rank's steps.
     * @return result, with reports on rank 0 only.
     */
    public static RanksResult run(
        final RankTask task,
        final JsonNode description,
        final Settings settings,
        final LaunchEnvironment environment,
        final Progress progress)
    {
        final String chosen = settings.config().getString(ADDRESS);
        final String address = chosen.isBlank() ? environment.requireAddress() : chosen;
        final JGroupsRendezvousConfig config = JGroupsRendezvousConfig.from(settings.config())
            .rank(environment.rank()).worldSize(environment.worldSize()).generation(environment.generation())
            .address(address).build();
        try (Rendezvous rendezvous = JGroupsRendezvous.join(config))
        {
            final Settings agreed = withRingMemory(settings, environment, rendezvous);
            final RankPlace place = new RankPlace(environment.rank(), agreed, () -> rendezvous, progress);
            return gather(rendezvous, task.run(place, description));
        }
        catch (final CommandException ex)
        {
            throw ex;
        }
        catch (final Exception ex)
        {
            return new RanksResult(Outcome.of(ex), List.of());
        }
    }

    /** Where this rank went on without others, they have no reports, and nobody can gather them all. */
    private static RanksResult gather(final Rendezvous rendezvous, final JsonNode report)
        throws JsonProcessingException
    {
        final List<JsonNode> reports = new ArrayList<>();
        try
        {
            for (final ByteBuffer bytes : rendezvous.allGather("cli.reports",
                ByteBuffer.wrap(report.toString().getBytes(StandardCharsets.UTF_8)), GATHER))
            {
                reports.add(parse(bytes));
            }
        }
        catch (final RendezvousException ex)
        {
            if (report.path("masked").isEmpty())
            {
                throw ex;
            }

            return new RanksResult(Outcome.of(ExitCodes.PEER_FAILED, "rank " + rendezvous.rank() +
                " went on without rank " + report.get("masked").toString().replaceAll("[\\[\\]]", "")),
                0 == rendezvous.rank() ? List.of(report) : List.of());
        }

        return new RanksResult(Outcome.DONE, 0 == rendezvous.rank() ? reports : List.of());
    }

    /** Rings must be equal on all ranks, so the host with the least room decides for all. */
    private static Settings withRingMemory(
        final Settings settings, final LaunchEnvironment environment, final Rendezvous rendezvous)
    {
        final boolean isAuto = "auto".equals(settings.config().getAnyRef(RING_MEMORY));
        final long wanted = Math.min(
            isAuto ? SizeConfig.AUTO_STAGED_RING_MEMORY : settings.config().getBytes(RING_MEMORY),
            SharedMemory.mostRingBytes(environment.ranksPerNode()));
        long least = wanted;
        for (final ByteBuffer bytes : rendezvous.allGather("cli.ring-memory",
            ByteBuffer.allocate(Long.BYTES).putLong(0, wanted), settings.engine().openTimeout()))
        {
            least = Math.min(least, bytes.getLong(bytes.position()));
        }

        if (isAuto && least == SizeConfig.AUTO_STAGED_RING_MEMORY)
        {
            return settings;
        }

        return settings.withDefaults(Map.of(
            RING_MEMORY, (isAuto ? Math.min(least, SizeConfig.AUTO_RING_MEMORY) : least) + " B"));
    }

    private static JsonNode parse(final ByteBuffer bytes) throws JsonProcessingException
    {
        final byte[] json = new byte[bytes.remaining()];
        bytes.duplicate().get(json);
        return JSON.readTree(new String(json, StandardCharsets.UTF_8));
    }
}
