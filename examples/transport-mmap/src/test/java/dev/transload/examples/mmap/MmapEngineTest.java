/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.examples.mmap;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.transload.engine.CombineRequest;
import dev.transload.engine.DataType;
import dev.transload.engine.DispatchRequest;
import dev.transload.engine.DispatchResult;
import dev.transload.engine.Engine;
import dev.transload.engine.EngineConfig;
import dev.transload.engine.Tensor;
import dev.transload.engine.TransportContext;
import dev.transload.reference.ReferenceCombine;
import dev.transload.reference.ReferenceWorld;
import dev.transload.reference.Routing;
import dev.transload.rendezvous.InMemoryRendezvous;
import dev.transload.rendezvous.Rendezvous;
import dev.transload.spi.TransportRegistry;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** An engine over the transport alone: two nodes of two ranks, both stages, compared with brute force. */
@Timeout(120)
class MmapEngineTest
{
    private static final int NODES = 2;
    private static final int LOCALS = 2;
    private static final int RANKS = NODES * LOCALS;
    private static final int TOKENS = 64;
    private static final int HIDDEN = 256;
    private static final int TOPK = 2;
    private static final int EXPERTS = 8;

    private final short[][] rows = new short[RANKS][TOKENS * HIDDEN];
    private final ReferenceWorld expected = new ReferenceWorld(NODES, LOCALS, EXPERTS, routings());

    @Test
    void shouldDispatchAndCombine()
    {
        final Config config = ConfigFactory.parseString("transload { nodes = " + NODES + ", ranks-per-node = " +
            LOCALS + ", max-hidden = " + HIDDEN + ", max-topk = " + TOPK + ", max-experts = " + EXPERTS +
            ", timeouts.open = 60 s, " + settings() + " }")
            .withFallback(ConfigFactory.load());
        final TransportRegistry registry = registry();
        final ExecutorService executor = Executors.newFixedThreadPool(RANKS);
        try
        {
            final List<CompletableFuture<Void>> ranks = new ArrayList<>();
            for (final Rendezvous rendezvous : InMemoryRendezvous.world(RANKS))
            {
                ranks.add(CompletableFuture.runAsync(() -> run(config, rendezvous, registry), executor));
            }

            CompletableFuture.allOf(ranks.toArray(new CompletableFuture<?>[0])).join();
        }
        finally
        {
            executor.shutdown();
        }
    }

    String settings()
    {
        return "scale-out.transport = mmap, scale-up.transport = mmap";
    }

    TransportRegistry registry()
    {
        return TransportRegistry.discover();
    }

    private void run(final Config config, final Rendezvous own, final TransportRegistry registry)
    {
        try (Rendezvous rendezvous = own;
            TransportContext context = TransportContext.open(rendezvous, registry);
            Engine engine = Engine.open(EngineConfig.from(config), context))
        {
            final int rank = rendezvous.rank();
            final Tensor x = new Tensor(
                engine.allocatePayload(TOKENS * HIDDEN * Short.BYTES), 0, DataType.BF16, TOKENS, HIDDEN);
            x.copyFromHost(0, bytes(rows[rank]));
            final Tensor idx =
                new Tensor(engine.allocateHost(TOKENS * TOPK * Long.BYTES), 0, DataType.I64, TOKENS, TOPK);
            idx.view().asLongBuffer().put(expected.routing(rank).idx());

            final DispatchResult sent = engine.dispatch(DispatchRequest.of(x).topk(idx, null, EXPERTS)).await();
            final Tensor received = sent.output().x();
            assertEquals(
                bytes(expected.rankMajor(rank, 1).gather(rows, HIDDEN)), bytes(received), "dispatch of " + rank);

            // Each rank answers with the rows that it received.
            final Tensor home = engine.combine(CombineRequest.of(sent.handle(), received)).await().x();
            assertEquals(bytes(new ReferenceCombine(expected, HIDDEN, false).rows(rank, (answering, token, into) ->
                System.arraycopy(rows[rank], token * HIDDEN, into, 0, HIDDEN), null, null)), bytes(home),
                "combine of " + rank);
            sent.handle().close();
        }
    }

    private List<Routing> routings()
    {
        final List<Routing> routings = new ArrayList<>();
        final Random random = new Random(1);
        for (int rank = 0; rank < RANKS; rank++)
        {
            final long[] idx = new long[TOKENS * TOPK];
            for (int token = 0; token < TOKENS; token++)
            {
                final int first = random.nextInt(EXPERTS);
                idx[token * TOPK] = first;
                idx[token * TOPK + 1] = (first + 1 + random.nextInt(EXPERTS - 1)) % EXPERTS;
            }

            for (int i = 0; i < rows[rank].length; i++)
            {
                // Finite and positive as BF16.
                rows[rank][i] = (short)(0x3F00 + random.nextInt(0x200));
            }

            routings.add(new Routing(TOKENS, TOPK, idx, new float[TOKENS * TOPK]));
        }

        return routings;
    }

    private static ByteBuffer bytes(final short[] elements)
    {
        final ByteBuffer bytes =
            ByteBuffer.allocateDirect(elements.length * Short.BYTES).order(ByteOrder.nativeOrder());
        bytes.asShortBuffer().put(elements);
        return bytes;
    }

    private static ByteBuffer bytes(final Tensor tensor)
    {
        final ByteBuffer bytes = ByteBuffer.allocateDirect((int)tensor.bytes()).order(ByteOrder.nativeOrder());
        tensor.copyToHost(0, bytes.duplicate());
        return bytes;
    }
}
