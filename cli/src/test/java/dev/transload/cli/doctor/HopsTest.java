/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.doctor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.transload.cli.doctor.Finding.Status;
import dev.transload.engine.StageConfig.PassedOver;
import dev.transload.engine.StagingMode;
import dev.transload.spi.Availability;
import dev.transload.spi.Capabilities;
import dev.transload.spi.Capability;
import dev.transload.spi.MemoryKind;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class HopsTest
{
    @Test
    void shouldTellOfRowsThatGoStraight()
    {
        final List<Finding> found = new Hops(MemoryKind.HOST, StagingMode.AUTO, 2,
            offering("ucx", MemoryKind.HOST, Capability.INTER_NODE),
            offering("aeron", MemoryKind.HOST, Capability.WINDOWS)).findings();

        assertFinding(found.get(0), "scale-up", Status.OK, "by addresses of the peers' memory");
        assertFinding(found.get(1), "scale-out", Status.OK, "straight to the relay's ring");
    }

    @Test
    void shouldTellOfRowsThatAreStaged()
    {
        final Finding found = new Hops(MemoryKind.CUDA, StagingMode.AUTO, 2,
            offering("ucx", MemoryKind.HOST, Capability.INTER_NODE),
            offering("nvlink", MemoryKind.CUDA, Capability.EMULATED)).findings().get(1);

        assertFinding(found, "scale-out", Status.WARN, "staged through host memory");
    }

    @ParameterizedTest
    @CsvSource({
        "CUDA, ALWAYS, WARN, 'staged through host memory of both hosts, since transload.payload.staging = always', bus",
        "CUDA, NEVER, OK, straight to the relay's ring, ''",
        "HOST, NEVER, FAIL, '', transload.payload.staging = never forbids"})
    void shouldTellWhatTheSettingsSayOfStaging(
        final String moved, final StagingMode staging, final Status status, final String said, final String advice)
    {
        final Finding found = new Hops(MemoryKind.CUDA, staging, 2, new Hops.Named("ucx", new Availability.Available(
            Capabilities.builder("ucx", "1", 1 << 20).kinds(Stream.of("HOST", moved).distinct().map(MemoryKind::new)
            .toArray(MemoryKind[]::new)).with(Capability.INTER_NODE).build()), List.of()),
            offering("nvlink", MemoryKind.CUDA)).findings().get(1);

        assertFinding(found, "scale-out", status, said);
        assertTrue(found.advice().contains(advice), found.toString());
    }

    @Test
    void shouldTellOfATransportThatStaysOnItsHost()
    {
        final Finding found = new Hops(MemoryKind.CUDA, StagingMode.AUTO, 2, offering("nvlink", MemoryKind.CUDA),
            offering("nvlink", MemoryKind.CUDA, Capability.EMULATED)).findings().get(1);

        assertFinding(found, "scale-out", Status.WARN, "ranks of this host only");
    }

    @Test
    void shouldFailWhereNothingCanMoveTheRows()
    {
        final Finding wrongKind = new Hops(MemoryKind.CUDA, StagingMode.AUTO, 1, offering("aeron", MemoryKind.HOST),
            offering("aeron", MemoryKind.HOST)).findings().get(0);
        final Finding missing = new Hops(MemoryKind.HOST, StagingMode.AUTO, 1, offering("aeron", MemoryKind.HOST),
            new Hops.Named("hccs", new Availability.Unavailable("there is no NPU", null), List.of())).findings().get(0);

        assertFinding(wrongKind, "scale-up", Status.FAIL, "CUDA memory");
        assertFinding(missing, "scale-up", Status.FAIL, "hccs is unavailable because there is no NPU");
    }

    @Test
    void shouldTellOfTransportsThatWerePassedOver()
    {
        final Hops.Named taken = offering("aeron", MemoryKind.HOST);
        final List<Finding> found = new Hops(MemoryKind.HOST, StagingMode.AUTO, 1, taken, new Hops.Named("aeron",
            taken.availability(), List.of(new PassedOver("nvlink", "there is no GPU")))).findings();

        assertFinding(found.get(0), "scale-up", Status.OK, "aeron, rows in HOST memory");
        assertFinding(found.get(1), "scale-up", Status.WARN, "nvlink is unavailable because there is no GPU");
    }

    @Test
    void shouldLeaveOutTheHopBetweenNodesWhereThereIsOne()
    {
        assertEquals(1, new Hops(MemoryKind.HOST, StagingMode.AUTO, 1, offering("aeron", MemoryKind.HOST),
            offering("aeron", MemoryKind.HOST)).findings().size());
    }

    private static void assertFinding(final Finding found, final String name, final Status status, final String said)
    {
        assertEquals(name + " " + status, found.name() + " " + found.status(), found.toString());
        assertTrue(found.found().contains(said), found.toString());
    }

    private static Hops.Named offering(final String name, final MemoryKind kind, final Capability... optional)
    {
        return new Hops.Named(name, new Availability.Available(
            Capabilities.builder(name, "1", 1 << 20).kinds(kind).with(optional).build()), List.of());
    }
}
