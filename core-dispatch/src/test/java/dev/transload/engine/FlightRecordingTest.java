/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the flight recorder gets of a world in this JVM: calls, stages, chunks and waits, and nothing unasked. */
class FlightRecordingTest
{
    private static final int CYCLES = 400;
    private static final Duration BOUND = Duration.ofSeconds(30);

    @TempDir
    private Path folder;

    @Test
    void shouldRecordEachCallOfEachRank() throws IOException
    {
        final List<RecordedEvent> calls = record(new Scenario(1), SteppingWorld::runAndVerifyAll, "Call");
        assertEquals(4 * 4, calls.size());
        final List<RecordedEvent> ofRank = ofRank(calls, 3);
        assertEquals(List.of("dispatch", "combine", "cached dispatch", "combine"),
            ofRank.stream().map((event) -> event.getString("kind")).toList());
        assertEquals(List.of(1L, 2L, 3L, 4L), ofRank.stream().map((event) -> event.getLong("number")).toList());
        for (final RecordedEvent event : ofRank)
        {
            assertEquals(9, event.getInt("tokens"));
            assertEquals(ofRank.get(0).getInt("rows"), event.getInt("rows"));
            assertTrue(event.getLong("bytes") > 0 && !event.getDuration().isZero(), event::toString);
            assertNull(event.getString("failure"));
        }
    }

    @Test
    void shouldRecordWhyACallFailedAndWhomItAwaited() throws IOException
    {
        final List<RecordedEvent> events = record(new Scenario(2), (world) ->
        {
            final Completion<DispatchResult> call = world.engines.get(0).dispatch(
                world.dispatchRequest(0, null).timeout(Duration.ofMillis(50)));
            world.await("failed", call::isDone, BOUND);
            assertThrows(CallFailedException.class, call::await);
        }, "Call", "Wait");
        assertEquals(List.of("DEADLINE"), ofRank(events, 0).stream().filter((event) -> event.hasField("failure"))
            .map((event) -> event.getString("failure")).toList());
        assertTrue(ofRank(events, 0).stream().anyMatch((event) -> event.hasField("peer") &&
            2 == event.getInt("peer") && 1 == event.getLong("call")), events::toString);
    }

    @Test
    void shouldRecordChunksThatAddUpToTheCounters() throws IOException
    {
        final long[] rows = new long[2];
        final List<RecordedEvent> chunks = record(new Scenario(3), (world) ->
        {
            world.runAndVerifyAll();
            final List<TrafficCount> traffic = world.engines.get(1).counters().traffic();
            traffic.forEach((count) -> rows["scale-out".equals(count.traffic().stage()) ? 0 : 1] += count.rows());
        }, "Chunk");
        assertTrue(rows[0] > 0 && rows[1] > 0);
        assertEquals(rows[0], sum(ofRank(chunks, 1), "scale-out", "rows"));
        assertEquals(rows[1], sum(ofRank(chunks, 1), "scale-up", "rows"));
        assertEquals(Set.of(3), ofRank(chunks, 1).stream().filter((event) -> isOf(event, "scale-out"))
            .map((event) -> event.getInt("peer")).collect(Collectors.toSet()), "its same-rail peer");
        assertEquals(Set.of(0, 1), chunks.stream().map((event) -> event.getInt("channel")).collect(Collectors.toSet()));
    }

    @Test
    void shouldRecordTheShareOfEachRole() throws IOException
    {
        final long[] rows = new long[1];
        final List<RecordedEvent> stages = record(new Scenario(4), (world) ->
        {
            world.combineAndVerify(world.dispatch(null));
            rows[0] = world.engines.get(2).counters().traffic().get(Traffic.DISPATCH_SCALE_UP.ordinal()).rows();
        }, "Stage");
        final List<RecordedEvent> forwarders =
            ofRank(stages, 2).stream().filter((event) -> "forwarder".equals(event.getString("role"))).toList();
        assertEquals(rows[0], sum(forwarders, "scale-up", "rows"));
        assertTrue(sum(forwarders, "scale-up", "busy") > 0);
        assertTrue(ofRank(stages, 2).stream().anyMatch((event) -> "receiver".equals(event.getString("role"))));
    }

    @Test
    void shouldRecordWhomAThreadAwaited() throws IOException
    {
        final List<RecordedEvent> waits = record(new Scenario(5), (world) ->
        {
            final List<Completion<DispatchResult>> calls = new ArrayList<>();
            for (int rank = 0; rank < 3; rank++)
            {
                calls.add(world.engines.get(rank).dispatch(world.dispatchRequest(rank, null)));
            }

            final int[] cycles = {0};
            world.await("quiet", () -> ++cycles[0] > CYCLES);
            calls.add(world.engines.get(3).dispatch(world.dispatchRequest(3, null)));
            world.await("dispatched", () -> calls.stream().allMatch(Completion::isDone));
        }, "Wait");
        assertTrue(ofRank(waits, 1).stream().anyMatch((event) -> 3 == event.getInt("peer") &&
            "scale-out.notify".equals(event.getString("counter")) && 1 == event.getLong("expected") &&
            0 == event.getLong("seen") && 1 == event.getLong("call")), waits::toString);
    }

    @Test
    void shouldRecordNothingUnasked() throws IOException
    {
        assertEquals(List.of(), record(new Scenario(6), SteppingWorld::runAndVerifyAll));
    }

    /** Runs a world while events are recorded, however short they are; without names, all of ours are off. */
    private List<RecordedEvent> record(
        final Scenario scenario, final Consumer<SteppingWorld> run, final String... names) throws IOException
    {
        final Path file = folder.resolve("recording.jfr");
        try (SteppingWorld world = new SteppingWorld(scenario); Recording recording = new Recording())
        {
            for (final String name : List.of("Call", "Stage", "Chunk", "Wait"))
            {
                recording.disable("dev.transload." + name);
            }

            for (final String name : names)
            {
                recording.enable("dev.transload." + name).withThreshold(Duration.ZERO);
            }

            recording.start();
            run.accept(world);
            recording.stop();
            recording.dump(file);
        }

        return RecordingFile.readAllEvents(file).stream()
            .filter((event) -> event.getEventType().getName().startsWith("dev.transload")).toList();
    }

    private static List<RecordedEvent> ofRank(final List<RecordedEvent> events, final int rank)
    {
        return events.stream().filter((event) -> rank == event.getInt("rank"))
            .sorted((a, b) -> a.getEndTime().compareTo(b.getEndTime())).toList();
    }

    private static boolean isOf(final RecordedEvent event, final String stage)
    {
        return stage.equals(event.getString("stage"));
    }

    private static long sum(final List<RecordedEvent> events, final String stage, final String field)
    {
        return events.stream().filter((event) -> isOf(event, stage)).mapToLong((event) -> event.getLong(field)).sum();
    }
}
