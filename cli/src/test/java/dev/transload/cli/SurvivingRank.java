/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli;

import dev.transload.engine.CallFailedException;
import dev.transload.engine.CombineRequest;
import dev.transload.engine.CombineResult;
import dev.transload.engine.DataType;
import dev.transload.engine.DispatchOutput;
import dev.transload.engine.DispatchRequest;
import dev.transload.engine.DispatchResult;
import dev.transload.engine.Engine;
import dev.transload.engine.EngineConfig;
import dev.transload.engine.EvictedException;
import dev.transload.engine.GroupChangedException;
import dev.transload.engine.OnPeerFailure;
import dev.transload.engine.Tensor;
import dev.transload.engine.TransloadConfig;
import dev.transload.engine.TransportContext;
import dev.transload.engine.WorldConfig;
import dev.transload.rendezvous.LaunchEnvironment;
import dev.transload.rendezvous.Rendezvous;
import dev.transload.rendezvous.RendezvousException;
import dev.transload.rendezvous.jgroups.JGroupsRendezvous;
import dev.transload.rendezvous.jgroups.JGroupsRendezvousConfig;
import dev.transload.spi.TransportRegistry;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/**
 * A rank that goes on without lost ranks, in the same process and over the same transports. Each step checks all rows,
 * selections and sums against what the present ranks alone make of it. A line of standard input gives the last step.
 */
final class SurvivingRank
{
    static final int EVICTED = 5;
    static final int FAILED = 4;
    private static final int HIDDEN = 512;
    private static final int TOPK = 3;
    private static final int EXPERTS = 10;
    /** Of a step that masks lost ranks: a readmission, a dispatch, a combine. */
    private static final int CALLS = 3;
    private static final int MOST_TOKENS = 220;
    /** Sums of three such numbers are exact. */
    private static final int LARGEST = 80;
    private static final int CANARY_ROWS = 4;
    private static final short CANARY = 0x7777;
    private static final Duration MEETING = Duration.ofSeconds(60);

    private final Engine engine;
    private WorldConfig world;
    /** Ranks whose rows the last dispatch brought. */
    private List<Integer> sources = List.of();
    private final int rank;
    private final int localExperts;
    private final Tensor x;
    private final Tensor idx;
    private final DispatchOutput output;
    private final Tensor combined;

    private SurvivingRank(final Engine engine)
    {
        this.engine = engine;
        this.world = engine.config().world();
        this.rank = engine.world().rank();
        this.localExperts = (EXPERTS + world.size() - 1) / world.size();
        this.x = payload(tokens(rank));
        this.idx = host(DataType.I64, tokens(rank), TOPK);
        this.combined = payload(tokens(rank));
        final int most = world.size() * MOST_TOKENS + CANARY_ROWS;
        this.output = new DispatchOutput(payload(most), null, host(DataType.I64, most, TOPK),
            host(DataType.F32, most, TOPK), host(DataType.I32, most, 1));
    }

    public static void main(final String[] args)
    {
        final LaunchEnvironment place = LaunchEnvironment.detect(System.getenv()).orElseThrow();
        final WorldConfig all = new WorldConfig(place.requireRanksOfNodes());
        final TransloadConfig settings = TransloadConfig.load(System.getenv(), null, Map.of(
            "transload.nodes", String.valueOf(all.nodes()), "transload.ranks-per-node", all.ranksPerNode()));
        try (Rendezvous rendezvous = JGroupsRendezvous.join(JGroupsRendezvousConfig.from(settings.config())
                .rank(place.rank()).worldSize(place.worldSize()).address(place.requireAddress()).build());
            TransportContext context = TransportContext.open(rendezvous, TransportRegistry.discover()))
        {
            if (OnPeerFailure.MASK == settings.engine().onPeerFailure())
            {
                mask(settings.engine(), context, lastStep());
            }
            else
            {
                run(settings.engine(), rendezvous, context, lastStep());
            }
        }
        catch (final EvictedException ex)
        {
            System.out.println("evicted: " + ex.getMessage());
            System.exit(EVICTED);
        }
        catch (final CallFailedException | RendezvousException ex)
        {
            ex.printStackTrace();
            System.exit(FAILED);
        }
    }

    /** Told later, by a line. */
    private static int[] lastStep()
    {
        final int[] last = {Integer.MAX_VALUE};
        final Thread reader = new Thread(() ->
        {
            try (BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8)))
            {
                last[0] = Integer.parseInt(in.readLine());
            }
            catch (final IOException ex)
            {
                System.err.println("nobody says when to end: " + ex);
            }
        });
        reader.setDaemon(true);
        reader.start();
        return last;
    }

    private static void run(
        final EngineConfig settings, final Rendezvous rendezvous, final TransportContext context, final int[] last)
    {
        EngineConfig config = settings;
        int step = 0;
        long lostNs = 0;
        while (step < last[0])
        {
            try (Engine engine = Engine.open(config, context))
            {
                step = earliest(step, rendezvous, engine);
                final SurvivingRank own = new SurvivingRank(engine);
                for (; step < last[0]; step++)
                {
                    own.step(step);
                    if (lostNs > 0)
                    {
                        System.out.println("recovered in " + (System.nanoTime() - lostNs) / 1_000_000 + " ms");
                        lostNs = 0;
                    }

                    System.out.println("step " + step + " " + config.world().present());
                }
            }
            catch (final GroupChangedException ex)
            {
                lostNs = System.nanoTime();
                System.out.println("lost " + ex.dead() + ": " + ex.getMessage());
                config = config.without(ex.dead());
            }
        }
    }

    /**
     * All steps by one engine, which makes them without lost ranks, and with those that have returned. Where this one
     * has, opening was the readmission of its first step.
     */
    private static void mask(final EngineConfig settings, final TransportContext context, final int[] last)
    {
        try (Engine engine = Engine.open(settings, context))
        {
            final SurvivingRank own = new SurvivingRank(engine);
            List<Integer> present = own.world.present();
            for (int step = (int)(engine.calls() / CALLS); step < last[0]; step++)
            {
                final long beginNs = System.nanoTime();
                if (0 == engine.calls() % CALLS)
                {
                    present = own.readmit(present);
                }

                own.step(step);
                final List<Integer> lost = new ArrayList<>(present);
                present = own.world.present();
                lost.removeAll(present);
                if (!lost.isEmpty())
                {
                    System.out.println("lost " + lost + ", left out");
                    System.out.println("recovered in " + (System.nanoTime() - beginNs) / 1_000_000 + " ms");
                }

                System.out.println("step " + step + " " + present + ", rows by " + own.sources);
            }
        }
    }

    private List<Integer> readmit(final List<Integer> present)
    {
        final List<Integer> returned = engine.readmit().await();
        final TreeSet<Integer> more = new TreeSet<>(present);
        more.addAll(returned);
        world = world.only(more);
        if (!returned.isEmpty())
        {
            System.out.println("back: " + returned);
        }

        return world.present();
    }

    /** One rank may have ended a step in which another failed. */
    private static int earliest(final int step, final Rendezvous rendezvous, final Engine engine)
    {
        int earliest = step;
        try
        {
            final ByteBuffer mine = ByteBuffer.allocate(Integer.BYTES).putInt(0, step);
            for (final ByteBuffer one : rendezvous.allGather(
                "test.step." + engine.number(), mine, MEETING,
                engine.config().world().present().stream().map(rendezvous::member).toList()))
            {
                earliest = Math.min(earliest, one.getInt(0));
            }
        }
        catch (final RendezvousException ex)
        {
            if (RendezvousException.Reason.MEMBER_LOST != ex.reason())
            {
                throw ex;
            }
        }

        return earliest;
    }

    private static int tokens(final int ofRank)
    {
        return 100 + 37 * ofRank % 120;
    }

    private static int expert(final int step, final int ofRank, final int token, final int k)
    {
        return (step + ofRank + 3 * token + 4 * k) % EXPERTS;
    }

    private static int value(final int step, final int ofRank, final int token, final int element)
    {
        return (step * 7 + ofRank * 31 + token * 5 + element) % LARGEST + 1;
    }

    private static short bf16(final int value)
    {
        return (short)(Float.floatToIntBits(value) >>> 16);
    }

    private void step(final int step)
    {
        for (int token = 0; token < x.rows(); token++)
        {
            for (int i = 0; i < HIDDEN; i++)
            {
                x.view().putShort((token * HIDDEN + i) * Short.BYTES, bf16(value(step, rank, token, i)));
            }

            for (int k = 0; k < TOPK; k++)
            {
                idx.view().putLong((token * TOPK + k) * Long.BYTES, expert(step, rank, token, k));
            }
        }

        if (OnPeerFailure.MASK == engine.config().onPeerFailure())
        {
            // Memory of the caller would not be written again while a lost rank of the node may still do so.
            final DispatchResult sent = engine.dispatch(DispatchRequest.of(x).topk(idx, null, EXPERTS)).await();
            leaveOutAbsent(sent);
            sources = world.present();
            verify(step, sent);
            final CombineResult home = engine.combine(CombineRequest.of(sent.handle(), sent.output().x())).await();
            leaveOutAbsent(step, home);
            verify(step, home);
            sent.handle().close();
            sent.output().x().memory().close();
            sent.output().topkIdx().memory().close();
            home.x().memory().close();
            return;
        }

        final DispatchResult sent =
            engine.dispatch(DispatchRequest.of(x).topk(idx, null, EXPERTS).output(output)).await();
        verify(step, sent);
        final CombineResult home = engine.combine(CombineRequest.of(sent.handle(),
            output.x().firstRows(sent.rows())).output(combined, null)).await();
        verify(step, home);
        sent.handle().close();
    }

    /** Every present rank sends rows to every other. */
    private void leaveOutAbsent(final DispatchResult sent)
    {
        for (final int source : world.present())
        {
            if (sent.rankPrefixSum()[source] == (0 == source ? 0 : sent.rankPrefixSum()[source - 1]))
            {
                require(!engine.world().isPresent(source), "no rows of rank " + source);
                world = world.without(List.of(source));
            }
        }
    }

    /** Ranks that were lost since the dispatch, whose answers may have come or not. */
    private void leaveOutAbsent(final int step, final CombineResult home)
    {
        for (final int rank : world.present())
        {
            if (!engine.world().isPresent(rank) && leftOut(step) != home.leftOut())
            {
                final WorldConfig before = world;
                world = before.without(List.of(rank));
                world = leftOut(step) > home.leftOut() ? before : world;
            }
        }

        require(leftOut(step) == home.leftOut(), home.leftOut() + " answers left out instead of " + leftOut(step));
    }

    private int leftOut(final int step)
    {
        int leftOut = 0;
        for (int token = 0; token < x.rows(); token++)
        {
            for (int k = 0; k < TOPK; k++)
            {
                leftOut += world.absent().contains(expert(step, rank, token, k) / localExperts) ? 1 : 0;
            }
        }

        return leftOut;
    }

    private boolean isHere(final int step, final int source, final int token)
    {
        for (int k = 0; k < TOPK; k++)
        {
            if (expert(step, source, token, k) / localExperts == rank)
            {
                return true;
            }
        }

        return false;
    }

    private void verify(final int step, final DispatchResult sent)
    {
        int row = 0;
        for (final int source : world.present())
        {
            for (int token = 0; token < tokens(source); token++)
            {
                if (isHere(step, source, token))
                {
                    verifyRow(step, source, token, row++, sent.output());
                }
            }

            require(row == sent.rankPrefixSum()[source], "rows up to rank " + source + " are " +
                sent.rankPrefixSum()[source] + " instead of " + row);
        }

        require(row == sent.rows(), sent.rows() + " rows instead of " + row);
        if (sent.output().x().memory() == output.x().memory())
        {
            for (int i = 0; i < CANARY_ROWS * HIDDEN; i++)
            {
                final int at = (row * HIDDEN + i) * Short.BYTES;
                require(CANARY == output.x().view().getShort(at), "something was written behind the rows");
            }
        }

        require(leftOut(step) == sent.leftOut(), sent.leftOut() + " selections left out instead of " + leftOut(step));
    }

    private void verifyRow(
        final int step, final int source, final int token, final int row, final DispatchOutput output)
    {
        require(token == output.srcTokenIdx().view().getInt(row * Integer.BYTES), "row " + row + " is not of token " +
            token + " of rank " + source);
        for (int k = 0; k < TOPK; k++)
        {
            final int expert = expert(step, source, token, k);
            require((expert / localExperts == rank ? expert % localExperts : -1) ==
                output.topkIdx().view().getLong((row * TOPK + k) * Long.BYTES), "selection of row " + row);
        }

        for (int i = 0; i < HIDDEN; i++)
        {
            final int at = (row * HIDDEN + i) * Short.BYTES;
            require(bf16(value(step, source, token, i)) == output.x().view().getShort(at), "element " + i + " of row " +
                row + ", which is token " + token + " of rank " + source);
        }
    }

    private void verify(final int step, final CombineResult home)
    {
        for (int token = 0; token < x.rows(); token++)
        {
            final TreeSet<Integer> owners = new TreeSet<>();
            for (int k = 0; k < TOPK; k++)
            {
                owners.add(expert(step, rank, token, k) / localExperts);
            }

            owners.removeAll(world.absent());
            for (int i = 0; i < HIDDEN; i++)
            {
                require(bf16(owners.size() * value(step, rank, token, i)) ==
                    home.x().view().getShort((token * HIDDEN + i) * Short.BYTES), "sum " + i + " of token " + token);
            }
        }

        // A row that does not come in the next step is seen then.
        spoil(output.x());
    }

    private static void spoil(final Tensor rows)
    {
        for (int i = 0; i < rows.rows() * HIDDEN; i++)
        {
            rows.view().putShort(i * Short.BYTES, CANARY);
        }
    }

    private static void require(final boolean isTrue, final String what)
    {
        if (!isTrue)
        {
            System.out.println("wrong: " + what);
            throw new IllegalStateException(what);
        }
    }

    private Tensor payload(final int rows)
    {
        final Tensor tensor = new Tensor(
            engine.allocatePayload((long)rows * HIDDEN * Short.BYTES), 0, DataType.BF16, rows, HIDDEN);
        spoil(tensor);
        return tensor;
    }

    private Tensor host(final DataType type, final int rows, final int columns)
    {
        return new Tensor(engine.allocateHost((long)rows * columns * type.bytes()), 0, type, rows, columns);
    }
}
