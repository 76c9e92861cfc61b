/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.examples;

import com.typesafe.config.ConfigFactory;
import dev.transload.engine.Completion;
import dev.transload.engine.DispatchResult;
import dev.transload.engine.EngineConfig;
import dev.transload.engine.TransloadConfig;
import dev.transload.rendezvous.InMemoryRendezvous;
import dev.transload.rendezvous.Rendezvous;
import dev.transload.spi.TransportRegistry;
import dev.transload.transport.nvlink.cuda.CudaDriver;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Consumer;

/**
 * Ranks in this JVM that dispatch and combine the tensors of another process, such as one of Python, in place: it hands
 * over their CUDA IPC handles. Lines of standard input say what to do, those of standard output what is done:
 * <pre>
 * world RANKS TOKENS HIDDEN TOPK EXPERTS LIBRARY  first; the library of the CUDA driver, such as libcuda.so.1
 * topk RANK EXPERT...                             TOKENS x TOPK numbers
 * tensor RANK NAME HANDLE OFFSET                  x, received or combined, BF16: an allocation's handle in hexadecimal,
 *                                                 and the byte at which the tensor begins in it
 * dispatch                                        rows of x go to received; answers "rows COUNT..." by rank
 * combine                                         received, as it is now, goes to combined; answers "combined"
 * </pre>
 * {@code x} and {@code combined} have TOKENS rows, {@code received} has RANKS x TOKENS, which always suffice. The other
 * process has finished its work on a tensor before it says so, and an answer means that ours is finished. It ends with
 * the input.
 */
public final class SharedTensors implements AutoCloseable
{
    private static final String SETTINGS = """
        transload {
            nodes = 1
            ranks-per-node = %d
            max-hidden = %d
            max-topk = %d
            max-experts = %d
            scale-out.transport = nvlink
            scale-up.transport = nvlink
            nvlink.library = "%s"
        }
        """;

    private final TensorRank[] ranks;
    private final ExecutorService threads;
    private final PrintStream out;

    private SharedTensors(final String[] world, final PrintStream out)
    {
        final int size = Integer.parseInt(world[1]);
        final int tokens = Integer.parseInt(world[2]);
        final int hidden = Integer.parseInt(world[3]);
        final int topk = Integer.parseInt(world[4]);
        final int experts = Integer.parseInt(world[5]);
        final EngineConfig config = TransloadConfig.loadWithin(System.getenv(), ConfigFactory.parseString(
            String.format(SETTINGS, size, hidden, topk, experts, world[6])), Map.of()).engine();
        final CudaDriver driver = CudaDriver.open(world[6]);
        final TransportRegistry transports = TransportRegistry.discover();
        final List<? extends Rendezvous> rendezvous = InMemoryRendezvous.world(size);
        this.out = out;
        threads = Executors.newFixedThreadPool(size);
        ranks = new TensorRank[size];
        final TensorRank.Shape shape = new TensorRank.Shape(size, tokens, hidden, topk, experts);
        // All ranks open at once, each on a thread of its own: every one waits for the others.
        onAll((rank) ->
            ranks[rank] = new TensorRank(config, rendezvous.get(rank), transports, driver, shape));
    }

    /**
     * Serve standard input.
     *
     * @param args none.
     * @throws IOException when it cannot be read.
     */
    public static void main(final String[] args) throws IOException
    {
        final BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII));
        final String[] world = words(in.readLine());
        if (7 != world.length || !"world".equals(world[0]))
        {
            throw new IllegalArgumentException(
                "the first line must be: world RANKS TOKENS HIDDEN TOPK EXPERTS LIBRARY");
        }

        try (SharedTensors exchange = new SharedTensors(world, System.out))
        {
            for (String line = in.readLine(); null != line; line = in.readLine())
            {
                exchange.obey(words(line));
            }
        }
        catch (final RuntimeException ex)
        {
            // Other ranks may still wait for the one that failed: the process ends at once, and says why.
            final Throwable cause = ex instanceof CompletionException ? ex.getCause() : ex;
            System.err.println("SharedTensors: " + cause);
            Runtime.getRuntime().halt(1);
        }
    }

    private static String[] words(final String line)
    {
        return null == line ? new String[0] : line.trim().split(" ");
    }

    private void obey(final String[] words)
    {
        switch (words[0])
        {
            case "topk" -> ranks[Integer.parseInt(words[1])].topk(words, 2);
            case "tensor" -> ranks[Integer.parseInt(words[1])].tensor(
                words[2], HexFormat.of().parseHex(words[3]), Long.parseLong(words[4]));
            case "dispatch" -> dispatch();
            case "combine" -> combine();
            default -> throw new IllegalArgumentException("'" + words[0] +
                "' is unknown: topk, tensor, dispatch and combine are allowed");
        }
    }

    /** All ranks begin before one is waited for. */
    private void dispatch()
    {
        final List<Completion<DispatchResult>> calls = new ArrayList<>();
        for (final TensorRank rank : ranks)
        {
            calls.add(rank.dispatch());
        }

        final StringBuilder answer = new StringBuilder("rows");
        for (int rank = 0; rank < ranks.length; rank++)
        {
            answer.append(' ').append(ranks[rank].received(calls.get(rank).await()));
        }

        say(answer.toString());
    }

    private void combine()
    {
        final List<Completion<?>> calls = new ArrayList<>();
        for (final TensorRank rank : ranks)
        {
            calls.add(rank.combine());
        }

        calls.forEach(Completion::await);
        say("combined");
    }

    private void say(final String line)
    {
        out.println(line);
        out.flush();
    }

    private void onAll(final Consumer<Integer> action)
    {
        final List<CompletableFuture<Void>> all = new ArrayList<>();
        for (int i = 0; i < ranks.length; i++)
        {
            final int rank = i;
            all.add(CompletableFuture.runAsync(() -> action.accept(rank), threads));
        }

        all.forEach(CompletableFuture::join);
    }

    @Override
    public void close()
    {
        onAll((rank) -> ranks[rank].close());
        threads.shutdown();
    }
}
