/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.guice;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.transload.engine.CombineRequest;
import dev.transload.engine.CombineResult;
import dev.transload.engine.DataType;
import dev.transload.engine.DispatchRequest;
import dev.transload.engine.DispatchResult;
import dev.transload.engine.Engine;
import dev.transload.engine.Tensor;
import dev.transload.engine.TransloadConfig;
import dev.transload.rendezvous.InMemoryRendezvous;
import dev.transload.rendezvous.LaunchEnvironment;
import dev.transload.rendezvous.Rendezvous;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.Phaser;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The example of recovery goes on without a rank that is lost. */
@Timeout(120)
class RecoveringRankTest
{
    private static final Path EXAMPLE = Path.of("src/test/java/dev/transload/guice/RecoveringRank.java");
    private static final int RANKS = 4;
    private static final int STEPS = 4;
    private static final int LOST = 1;
    private static final int LOST_AT = 2;
    private static final int TOKENS = 16;
    private static final int HIDDEN = 256;
    private static final int EXPERTS = 12;

    private final List<InMemoryRendezvous> world = InMemoryRendezvous.world(RANKS);
    /** Advances when all ranks have ended the step before the loss. */
    private final Phaser ended = new Phaser(RANKS);

    @Test
    void shouldGoOnWithoutALostRank() throws InterruptedException, ExecutionException
    {
        final List<Rank> ranks = new ArrayList<>();
        final List<FutureTask<Void>> runs = new ArrayList<>();
        for (int rank = 0; rank < RANKS; rank++)
        {
            final Rank program = new Rank(rank);
            final Map<String, String> environment = Map.of("TRANSLOAD_RANK", String.valueOf(rank),
                "TRANSLOAD_WORLD_SIZE", String.valueOf(RANKS), "TRANSLOAD_RANKS_PER_NODE", "2",
                "TRANSLOAD_MAX_HIDDEN", String.valueOf(HIDDEN), "TRANSLOAD_TIMEOUTS_OPEN", "60s");
            ranks.add(program);
            runs.add(new FutureTask<>(() -> program.run(environment, STEPS), null));
        }

        runs.forEach((run) -> new Thread(run).start());
        for (int rank = 0; rank < RANKS; rank++)
        {
            if (LOST == rank)
            {
                final ExecutionException failure = assertThrows(ExecutionException.class, runs.get(rank)::get);
                assertEquals("lost", failure.getCause().getMessage());
                assertEquals(List.of("0 of 4", "1 of 4"), ranks.get(rank).made);
            }
            else
            {
                runs.get(rank).get();
                assertEquals(List.of("0 of 4", "1 of 4", "2 of 3", "3 of 3"), ranks.get(rank).made);
            }
        }
    }

    @Test
    void shouldStandInTheDocumentation() throws IOException
    {
        final String source = Files.readString(EXAMPLE);
        assertTrue(Files.readString(Path.of("..", "docs", "EMBEDDING.md")).contains(
            source.substring(source.indexOf("public abstract class"))), "EMBEDDING.md has another text");
    }

    /** Its tokens go to all ranks, so that no rank ends a step without the others. */
    private final class Rank extends RecoveringRank
    {
        private final int number;
        private final List<String> made = new ArrayList<>();
        private InMemoryRendezvous rendezvous;
        private Engine engine;
        private Tensor x;
        private Tensor idx;

        private Rank(final int number)
        {
            this.number = number;
        }

        @Override
        protected Rendezvous join(final TransloadConfig settings, final LaunchEnvironment place)
        {
            rendezvous = world.get(number);
            return rendezvous;
        }

        @Override
        protected void begin(final Engine opened)
        {
            engine = opened;
            x = new Tensor(engine.allocatePayload(TOKENS * HIDDEN * 2), 0, DataType.BF16, TOKENS, HIDDEN);
            idx = new Tensor(engine.allocateHost(TOKENS * 8), 0, DataType.I64, TOKENS, 1);
            for (int token = 0; token < TOKENS; token++)
            {
                idx.view().putLong(token * 8, token % EXPERTS);
                for (int i = 0; i < HIDDEN; i++)
                {
                    x.view().putShort((token * HIDDEN + i) * 2, (short)(0x3F00 + number * 16 + token));
                }
            }
        }

        /** A token whose only expert is lost has a sum of nothing. */
        private void verify(final Tensor home, final int leftOut)
        {
            int without = 0;
            for (int token = 0; token < TOKENS; token++)
            {
                final boolean isLeftOut =
                    !engine.world().isPresent((int)(idx.view().getLong(token * 8) / (EXPERTS / RANKS)));
                without += isLeftOut ? 1 : 0;
                for (int i = 0; i < HIDDEN; i++)
                {
                    final int at = (token * HIDDEN + i) * 2;
                    assertEquals(isLeftOut ? 0 : x.view().getShort(at), home.view().getShort(at));
                }
            }

            assertEquals(without, leftOut);
        }

        @Override
        protected void call(final int step)
        {
            if (LOST == number && LOST_AT == step)
            {
                ended.awaitAdvance(0);
                rendezvous.lose("its process was killed");
                throw new IllegalStateException("lost");
            }

            final DispatchResult sent = engine.dispatch(DispatchRequest.of(x).topk(idx, null, EXPERTS)).await();
            final CombineResult home = engine.combine(CombineRequest.of(sent.handle(), sent.output().x())).await();
            sent.handle().close();
            verify(home.x(), sent.leftOut());
            made.add(step + " of " + engine.config().world().present().size());
            if (LOST_AT - 1 == step)
            {
                ended.arrive();
            }
        }
    }
}
