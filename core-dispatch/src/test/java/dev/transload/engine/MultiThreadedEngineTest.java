/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.transload.engine.loopback.LoopbackNetwork;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Engines with threads of their own in one JVM, for channels, or for kinds of roles where there are more threads:
 * whatever the machine's order of events, the same bytes and an end.
 */
@Timeout(120)
class MultiThreadedEngineTest
{
    private static final int REFUSAL_INTERVAL = 5;

    /** The thorough run has five times as many calls. */
    private static final long TIMES = Math.max(1, Seeds.COUNT / 300);

    @ParameterizedTest
    @CsvSource({"1, 2, push, 40, false", "2, 2, push, 40, false", "2, 1, pull, 8, false",
        "4, 4, pull, 4, false", "4, 2, push, 40, false", "2, 2, pull, 8, true", "4, 2, push, 20, true"})
    void shouldDeliverTheSameBytesEveryTime(
        final int threads, final int channels, final String credit, final int iterations, final boolean isStaged)
    {
        final Scenario scenario = scenario(threads, channels, credit).staged(isStaged, LoopbackNetwork.DEVICE);
        final LoopbackWorld world = new LoopbackWorld(scenario, REFUSAL_INTERVAL);
        try (world)
        {
            // Each run dispatches and combines twice.
            for (long i = 0; i < iterations * TIMES; i += 2)
            {
                world.runAndVerifyRepeated();
            }
        }

        for (int rank = 0; rank < scenario.ranks(); rank++)
        {
            final int closed = rank;
            assertEquals(CallFailedException.Reason.RETIRED, assertThrows(CallFailedException.class,
                () -> world.engines.get(closed).dispatch(world.dispatchRequest(closed, null))).reason());
        }
    }

    /** Closing waits for the others too, but they have been waited for. */
    @Test
    void shouldCloseOnceTheOthersWereAwaited()
    {
        try (LoopbackWorld world = new LoopbackWorld(scenario(1, 2, "push"), REFUSAL_INTERVAL))
        {
            world.runAndVerifyAll();
            world.engines.stream().map((engine) -> CompletableFuture.runAsync(engine::awaitOthers,
                (task) -> new Thread(task).start())).toList().forEach(CompletableFuture::join);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 4})
    void shouldRunManyCallsInTheOrderOfSubmission(final int threads)
    {
        try (LoopbackWorld world = new LoopbackWorld(scenario(threads, 2, "push"), REFUSAL_INTERVAL))
        {
            final List<List<Completion<DispatchResult>>> calls = new ArrayList<>();
            for (int rank = 0; rank < world.engines.size(); rank++)
            {
                final List<Completion<DispatchResult>> ofRank = new ArrayList<>();
                for (int i = 0; i < 20; i++)
                {
                    ofRank.add(world.engines.get(rank).dispatch(world.dispatchRequest(rank, null)));
                }

                calls.add(ofRank);
            }

            for (int rank = 0; rank < calls.size(); rank++)
            {
                for (int i = 0; i < calls.get(rank).size(); i++)
                {
                    final DispatchResult result = calls.get(rank).get(i).await();
                    assertEquals(i + 1, result.handle().callNumber());
                    world.verifyDispatch(rank, result);
                }
            }
        }
    }

    private static Scenario scenario(final int threads, final int channels, final String credit)
    {
        final Scenario scenario = new Scenario(threads);
        scenario.threads = threads;
        scenario.channels = channels;
        scenario.tokens = new int[]{19, 21, 0, 27};
        scenario.topk = 3;
        scenario.biases = 2;
        scenario.outCredit = credit;
        scenario.upCredit = credit;
        return scenario;
    }
}
