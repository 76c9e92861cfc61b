/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.doctor;

import dev.transload.engine.StageConfig.PassedOver;
import dev.transload.engine.StagingMode;
import dev.transload.spi.Availability;
import dev.transload.spi.Capabilities;
import dev.transload.spi.Capability;
import dev.transload.spi.MemoryKind;
import java.util.ArrayList;
import java.util.List;

/**
 * Which way rows take in each stage, as the engine decides it when it opens.
 *
 * @param payload  kind of memory that rows are in.
 * @param staging  whether they pass through host memory between nodes.
 * @param nodes    of the world.
 * @param scaleOut verdict on its transport.
 * @param scaleUp  verdict on its transport.
 */
record Hops(MemoryKind payload, StagingMode staging, int nodes, Named scaleOut, Named scaleUp)
{
    /**
     * A transport that the settings name.
     *
     * @param name         of it.
     * @param availability verdict of its provider.
     * @param passedOver   transports that were preferred to it, which are not available.
     */
    record Named(String name, Availability availability, List<PassedOver> passedOver)
    {
        private Capabilities capabilities()
        {
            return availability instanceof final Availability.Available available ? available.capabilities() : null;
        }
    }

    List<Finding> findings()
    {
        final List<Finding> findings = new ArrayList<>();
        addHop("scale-up", scaleUp, this::within, findings);
        if (nodes > 1)
        {
            addHop("scale-out", scaleOut, this::between, findings);
        }

        return findings;
    }

    @FunctionalInterface
    private interface Judge
    {
        Finding of(String transport, Capabilities capabilities);
    }

    private static void addHop(
        final String stage, final Named named, final Judge judge, final List<Finding> findings)
    {
        findings.add(hop(stage, named, judge));
        named.passedOver().forEach((passed) ->
            findings.add(Finding.warn(stage, passed.toString(), "ranks take " + named.name() + " instead")));
    }

    private static Finding hop(final String stage, final Named named, final Judge judge)
    {
        return named.availability() instanceof final Availability.Unavailable unavailable ?
            Finding.fail(stage, named.name() + " is unavailable because " + unavailable.reason(),
                "or choose another by --" + stage + "; transload transports lists them") :
            judge.of(named.name(), named.capabilities());
    }

    private Finding within(final String transport, final Capabilities offered)
    {
        final String rows = transport + ", rows in " + payload + " memory";
        if (!offered.kinds().contains(payload))
        {
            return Finding.fail("scale-up", rows, "it moves " + offered.kinds() + " only: set transload.payload.kind");
        }

        return offered.has(Capability.WINDOWS) ? Finding.ok("scale-up", rows +
            ": straight to their final places, by addresses of the peers' memory" + emulated(offered)) :
            Finding.ok("scale-up", rows + ": by puts to their final places" + emulated(offered));
    }

    private Finding between(final String transport, final Capabilities offered)
    {
        final String rows = transport + ", rows in " + payload + " memory";
        if (!offered.has(Capability.INTER_NODE))
        {
            return Finding.warn("scale-out", rows + ": it reaches ranks of this host only" + emulated(offered) +
                note(offered),
                "nodes of one host run so; across hosts choose ucx or aeron by --scale-out");
        }

        final boolean isMoved = offered.kinds().contains(payload);
        if (isMoved && (payload.isHost() || StagingMode.ALWAYS != staging))
        {
            return Finding.ok("scale-out", rows + ": straight to the relay's ring" + emulated(offered) + note(offered));
        }

        if (!offered.kinds().contains(MemoryKind.HOST))
        {
            return Finding.fail("scale-out", rows, "it moves " + offered.kinds() + " only");
        }

        return StagingMode.NEVER == staging ? Finding.fail("scale-out", rows, "it moves " + offered.kinds() +
            " only, and transload.payload.staging = never forbids to stage them" + note(offered)) :
            Finding.warn("scale-out", rows + ": staged through host memory of both hosts, since " +
            (isMoved ? "transload.payload.staging = always" : "it moves " + offered.kinds()) + note(offered),
            "a call is bound by the bus, about 50 GB/s of PCIe 5 x16 each way");
    }

    private String note(final Capabilities offered)
    {
        final String note = offered.notes().get(payload);
        return null == note ? "" : " (" + note + ")";
    }

    private static String emulated(final Capabilities offered)
    {
        return offered.has(Capability.EMULATED) ? " (emulated)" : "";
    }
}
