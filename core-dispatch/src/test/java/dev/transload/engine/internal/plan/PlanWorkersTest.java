/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.plan;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.transload.engine.BadInputException;
import dev.transload.engine.EngineConfig;
import dev.transload.engine.World;
import dev.transload.engine.internal.world.Geometry;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class PlanWorkersTest
{
    private static final int CHANNELS = 5;
    private static final int TOPK = 3;
    private static final int EXPERTS = 24;

    private final Geometry geometry = new Geometry(
        new World(2, 3, 1), EngineConfig.builder().nodes(2).ranksPerNode(3).channels(CHANNELS).build());
    private final PlanWorkers planWorkers = new PlanWorkers(true);
    private final AtomicBoolean isOver = new AtomicBoolean();
    private final AtomicLong helped = new AtomicLong();
    private final List<Thread> helpers = new ArrayList<>();

    @BeforeEach
    void startHelpers()
    {
        for (int i = 0; i < 3; i++)
        {
            final int number = 2 * i;
            final Thread helper = new Thread(() ->
            {
                final TopkReader reader = new TopkReader(geometry);
                while (!isOver.get())
                {
                    helped.addAndGet(planWorkers.doWork(number, reader));
                    Thread.yield();
                }
            });
            helper.setDaemon(true);
            helper.start();
            helpers.add(helper);
        }
    }

    @AfterEach
    void stopHelpers() throws InterruptedException
    {
        isOver.set(true);
        for (final Thread helper : helpers)
        {
            helper.join();
        }
    }

    @Test
    void shouldRouteAsOneThreadDoes()
    {
        final SendLayout alone = new SendLayout(geometry);
        final SendLayout shared = new SendLayout(geometry);
        final Random random = new Random(7);
        for (int round = 0; round < 2_000 || 0 == helped.get(); round++)
        {
            final int tokens = random.nextInt(1_000);
            final ByteBuffer idx = choose(random, tokens);
            alone.compute(idx, tokens, TOPK, EXPERTS);
            shared.compute(idx, tokens, TOPK, EXPERTS, planWorkers);
            verify(alone, shared, tokens, round);
        }
    }

    @Test
    void shouldNameTheFirstWrongChoice()
    {
        final SendLayout shared = new SendLayout(geometry);
        final Random random = new Random(8);
        for (int round = 0; round < 500; round++)
        {
            final int tokens = 400;
            final ByteBuffer idx = choose(random, tokens);
            idx.putLong((399 * TOPK + 1) * Long.BYTES, EXPERTS);
            idx.putLong((90 * TOPK + 2) * Long.BYTES, -2);
            idx.putLong((200 * TOPK) * Long.BYTES, EXPERTS);
            final String said = assertThrows(
                BadInputException.class, () -> shared.compute(idx, tokens, TOPK, EXPERTS, planWorkers)).getMessage();
            assertTrue(said.startsWith("topk_idx[90][2] = -2 is not allowed"), said);
        }
    }

    @Test
    void shouldShareOneAtATime() throws InterruptedException
    {
        final SendLayout first = new SendLayout(geometry);
        final SendLayout alone = new SendLayout(geometry);
        final Random random = new Random(9);
        final AtomicBoolean isEnough = new AtomicBoolean();
        final Thread other = new Thread(() ->
        {
            final SendLayout second = new SendLayout(geometry);
            final ByteBuffer idx = choose(new Random(10), 700);
            while (!isEnough.get())
            {
                second.compute(idx, 700, TOPK, EXPERTS, planWorkers);
            }
        });
        other.start();
        for (int round = 0; round < 500; round++)
        {
            final ByteBuffer idx = choose(random, 600);
            alone.compute(idx, 600, TOPK, EXPERTS);
            first.compute(idx, 600, TOPK, EXPERTS, planWorkers);
            verify(alone, first, 600, round);
        }

        isEnough.set(true);
        other.join();
    }

    private static ByteBuffer choose(final Random random, final int tokens)
    {
        final ByteBuffer idx = ByteBuffer.allocateDirect(tokens * TOPK * Long.BYTES).order(ByteOrder.nativeOrder());
        for (int token = 0; token < tokens; token++)
        {
            final int first = random.nextInt(EXPERTS);
            for (int k = 0; k < TOPK; k++)
            {
                final int expert = 0 == random.nextInt(9) ? -1 : (first + k * 7) % EXPERTS;
                idx.putLong((token * TOPK + k) * Long.BYTES, expert);
            }
        }

        return idx;
    }

    private void verify(final SendLayout expected, final SendLayout actual, final int tokens, final int round)
    {
        final String where = "round " + round;
        for (int channel = 0; channel <= CHANNELS; channel++)
        {
            for (int rank = 0; rank < geometry.world().size(); rank++)
            {
                assertEquals(expected.rankStart(channel, rank), actual.rankStart(channel, rank), where);
            }

            for (int node = 0; node < geometry.nodes(); node++)
            {
                assertEquals(expected.nodeStart(channel, node), actual.nodeStart(channel, node), where);
            }

            for (int expert = 0; expert < EXPERTS; expert++)
            {
                assertEquals(expected.expertStart(channel, expert), actual.expertStart(channel, expert), where);
            }
        }

        for (int token = 0; token < tokens; token++)
        {
            for (int k = 0; k < TOPK; k++)
            {
                assertEquals(expected.expert(token, k), actual.expert(token, k), where);
            }

            for (int node = 0; node < geometry.nodes(); node++)
            {
                assertEquals(expected.mask(token, node, 0), actual.mask(token, node, 0), where);
            }
        }
    }
}
