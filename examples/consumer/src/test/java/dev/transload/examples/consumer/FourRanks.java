/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.examples.consumer;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.transload.engine.CombineRequest;
import dev.transload.engine.CombineResult;
import dev.transload.engine.DataType;
import dev.transload.engine.DispatchRequest;
import dev.transload.engine.DispatchResult;
import dev.transload.engine.Engine;
import dev.transload.engine.EngineConfig;
import dev.transload.engine.Tensor;
import dev.transload.rendezvous.Rendezvous;
import dev.transload.rendezvous.jgroups.JGroupsRendezvous;
import dev.transload.rendezvous.jgroups.JGroupsRendezvousConfig;
import dev.transload.spi.TransportRegistry;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;

/** A program of a user: four ranks on two nodes, which meet over JGroups; one dispatch, one combine. */
public final class FourRanks
{
    private static final int NODES = 2;
    private static final int RANKS = 4;
    private static final int TOKENS = 16;
    private static final int HIDDEN = 128;
    private static final int EXPERTS = 8;

    private FourRanks()
    {
    }

    /**
     * Run all ranks and tell of each.
     *
     * @param args none.
     * @throws IOException          if no port is free.
     * @throws InterruptedException if the thread is interrupted.
     * @throws ExecutionException   if a rank fails.
     */
    public static void main(final String[] args) throws IOException, InterruptedException, ExecutionException
    {
        final List<Boolean> results = run();
        for (int rank = 0; rank < RANKS; rank++)
        {
            System.out.println("rank " + rank + ": " + TOKENS + " tokens went out and " +
                (results.get(rank) ? "came home as they left" : "did NOT come home as they left"));
        }

        System.exit(results.contains(false) ? 1 : 0);
    }

    /**
     * Run all ranks, each on a thread of its own.
     *
     * @return of each, whether each token came home as it left.
     * @throws IOException          if no port is free.
     * @throws InterruptedException if the caller is interrupted.
     * @throws ExecutionException   if a rank fails.
     */
    public static List<Boolean> run() throws IOException, InterruptedException, ExecutionException
    {
        final String address = "127.0.0.1:" + freePort();
        final List<FutureTask<Boolean>> ranks = new ArrayList<>();
        for (int rank = 0; rank < RANKS; rank++)
        {
            final int own = rank;
            ranks.add(new FutureTask<>(() -> exchange(own, address)));
        }

        ranks.forEach((rank) -> new Thread(rank).start());
        final List<Boolean> results = new ArrayList<>();
        for (final FutureTask<Boolean> rank : ranks)
        {
            results.add(rank.get());
        }

        return results;
    }

    private static int freePort() throws IOException
    {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress()))
        {
            return socket.getLocalPort();
        }
    }

    private static boolean exchange(final int rank, final String address)
    {
        final Config config = ConfigFactory.parseString("transload { nodes = " + NODES + ", ranks-per-node = " +
            RANKS / NODES + ", max-hidden = " + HIDDEN + ", max-topk = 1, max-experts = " + EXPERTS + " }")
            .withFallback(ConfigFactory.load());
        try (Rendezvous rendezvous = JGroupsRendezvous.join(JGroupsRendezvousConfig.from(config)
                .rank(rank).worldSize(RANKS).address(address).build());
            Engine engine = Engine.open(EngineConfig.from(config), rendezvous, TransportRegistry.discover()))
        {
            final Tensor x = new Tensor(
                engine.allocatePayload((long)TOKENS * HIDDEN * Short.BYTES), 0, DataType.BF16, TOKENS, HIDDEN);
            final Tensor topkIdx = new Tensor(
                engine.allocateHost((long)TOKENS * Long.BYTES), 0, DataType.I64, TOKENS, 1);
            for (int token = 0; token < TOKENS; token++)
            {
                topkIdx.view().putLong(token * Long.BYTES, token % EXPERTS);
                for (int element = 0; element < HIDDEN; element++)
                {
                    // Finite and positive, unlike in any two tokens.
                    x.view().putShort((token * HIDDEN + element) * Short.BYTES,
                        (short)(0x3F00 + rank * TOKENS + token + element));
                }
            }

            final DispatchResult sent =
                engine.dispatch(DispatchRequest.of(x).topk(topkIdx, null, EXPERTS)).await();
            final CombineResult home = engine.combine(CombineRequest.of(sent.handle(), sent.output().x())).await();
            sent.handle().close();
            return TOKENS == sent.rows() && x.view().equals(home.x().view());
        }
    }
}
