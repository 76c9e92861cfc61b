/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine;

import com.typesafe.config.ConfigFactory;
import dev.transload.reference.Routing;
import dev.transload.spi.MemoryKind;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.SplittableRandom;

/** A world, a model and settings, all drawn from a seed or set by hand. */
final class Scenario
{
    private static final long TABLES = 0x7AB1E5;
    private static final long ABSENT = 0xAB5E27;

    /** Consecutive rows of a routing trace, as routes. */
    interface TraceRows
    {
        Routing slice(int first, int tokens, int topk);
    }

    long seed;
    /** Of the order of all that happens. */
    long scheduleSeed;
    int nodes = 2;
    int ranksPerNode = 2;
    /** Ranks of each node, null where all have as many. */
    List<Integer> ranksOfNodes;
    /** Ranks that take no part. */
    Set<Integer> absent = Set.of();
    int channels = 2;
    int[] tokens;
    int topk = 2;
    /** By how much the largest K is more. */
    int moreTopk;
    int experts = 8;
    int hidden = 16;
    boolean isFp8;
    OutputLayout layout = OutputLayout.RANK_MAJOR;
    int alignment = 1;
    int biases;
    boolean isWeighted = true;
    /** Whether combined weights are other ones than dispatched: any numbers, whose sums show their order. */
    boolean hasOwnWeights;
    boolean isWireF32;
    int outChunk = 3;
    int outBatch = 2;
    int outRing = 6;
    int upChunk = 2;
    int upBatch = 1;
    int upRing = 4;
    String outCredit = "push";
    String upCredit = "push";
    double missing = 0.1;
    boolean isMissingOnOddRanks;
    boolean isHot;
    MemoryKind kind = MemoryKind.HOST;
    /** Whether each stage has a transport of its own. */
    boolean isApart;
    /** Whether the scale-out transport is another one, which moves host memory only. */
    boolean isStaged;
    /** Value of {@code payload.staging}. */
    String staging = "auto";
    /** Name of a routing trace, or null for random gating. */
    String trace;
    /** Rows of that trace. */
    TraceRows traceRows;
    /** By how many rows of the trace a rank begins behind the rank before. */
    int traceStride = 17;
    /** Inputs and answers, or null for random ones. */
    GivenInputs vectors;
    /** Choices of each rank, or null where they are random or of a trace. */
    List<Routing> routes;
    /** direct, ring, or mixed: ranks take them in turn. */
    String placement = "direct";
    /** Whether the transport lets ranks look into each other's memory. */
    boolean hasWindows = true;
    /** Whether the fabric adds to words of peers; else signals are put. */
    boolean hasAtomics = true;
    /** Whether top-k lies where the rows do, and what comes of it. */
    boolean isTopkOnDevice;
    /** Memory of a handle's tables: auto, or bytes. Scenarios have so few that most tables are written part by part. */
    String tableMemory = "auto";
    int threads;
    String more = "";
    /** A world that has not ended a call after so many cycles is stalled. */
    int maxCycles = 10_000;

    Scenario(final long seed)
    {
        this.seed = seed;
        this.scheduleSeed = seed;
        this.tokens = new int[]{7, 5, 0, 9};
    }

    /** Everything at random; sizes stay small, so that a run takes milliseconds. */
    static Scenario random(final long seed, final MemoryKind kind)
    {
        return random(seed, kind, new int[][]{{1, 1}, {1, 2}, {1, 3}, {2, 1}, {2, 2}, {3, 1}, {2, 3}, {3, 2}});
    }

    /** As above, with rows that are staged wherever they change nodes. */
    static Scenario randomStaged(final long seed, final MemoryKind kind)
    {
        final Scenario scenario = random(seed, kind, new int[][]{{2, 1}, {2, 2}, {3, 1}, {2, 3}, {3, 2}});
        scenario.isStaged = true;
        return scenario;
    }

    /** Worlds whose nodes have 1 to 5 ranks, each its own number. */
    static Scenario randomUneven(final long seed, final MemoryKind kind, final boolean isStaged)
    {
        final Random random = new Random(new SplittableRandom(~seed).nextLong());
        final List<Integer> ranks =
            random.ints((isStaged ? 2 : 1) + random.nextInt(isStaged ? 4 : 5), 1, 6).boxed().toList();
        final int most = ranks.stream().mapToInt(Integer::intValue).sum();
        final Scenario scenario = random(seed, kind, new int[][]{{1, most}});
        scenario.nodes = ranks.size();
        scenario.ranksOfNodes = ranks;
        scenario.isStaged = isStaged;
        return scenario;
    }

    /** Worlds that lack some of their ranks, even whole nodes. */
    static Scenario randomAbsent(final long seed, final MemoryKind kind, final boolean isStaged)
    {
        final Scenario scenario = 0 == seed % 2 ? randomUneven(seed, kind, isStaged) :
            isStaged ? randomStaged(seed, kind) : random(seed, kind);
        final Random random = new Random(new SplittableRandom(seed ^ ABSENT).nextLong());
        final List<Integer> ranks = new ArrayList<>(scenario.world().present());
        Collections.shuffle(ranks, random);
        scenario.absent = Set.copyOf(ranks.subList(0, Math.min(ranks.size() - 1, 1 + random.nextInt(3))));
        return scenario;
    }

    /** With payload in memory of a device, staged where it changes nodes; or in host memory. */
    Scenario staged(final boolean value, final MemoryKind device)
    {
        isStaged = value;
        kind = value ? device : MemoryKind.HOST;
        return this;
    }

    private static Scenario random(final long seed, final MemoryKind kind, final int[][] worlds)
    {
        // Mixed first: of small seeds by themselves, the first number is the same for almost all.
        final Random random = new Random(new SplittableRandom(seed).nextLong());
        final Scenario scenario = new Scenario(seed);
        final int[] world = worlds[random.nextInt(worlds.length)];
        scenario.kind = kind;
        scenario.nodes = world[0];
        scenario.ranksPerNode = world[1];
        final int ranks = world[0] * world[1];
        scenario.channels = 1 + random.nextInt(3);
        scenario.experts = ranks * (1 + random.nextInt(3)) - random.nextInt(ranks);
        scenario.topk = 1 + random.nextInt(Math.min(4, scenario.experts));
        scenario.isFp8 = random.nextInt(3) == 0;
        scenario.hidden = scenario.isFp8 ? 128 : 8 * (1 + random.nextInt(4));
        scenario.layout = random.nextInt(3) == 0 ? OutputLayout.EXPERT_MAJOR : OutputLayout.RANK_MAJOR;
        scenario.alignment = random.nextBoolean() ? 1 : 1 + random.nextInt(5);
        scenario.biases = random.nextInt(3);
        scenario.isWeighted = random.nextInt(4) > 0;
        scenario.isWireF32 = random.nextInt(3) == 0;
        scenario.outChunk = 1 + random.nextInt(4);
        scenario.outBatch = 1 + random.nextInt(3);
        scenario.outRing = scenario.outChunk + scenario.outBatch - 1 + random.nextInt(3);
        scenario.upChunk = 1 + random.nextInt(3);
        scenario.upBatch = 1 + random.nextInt(3);
        scenario.upRing = scenario.upChunk + scenario.upBatch - 1 + random.nextInt(3);
        scenario.outCredit = random.nextInt(4) == 0 ? "pull" : "push";
        scenario.upCredit = random.nextInt(4) == 0 ? "pull" : "push";
        scenario.missing = random.nextInt(6) == 0 ? 1.0 : random.nextDouble() * 0.5;
        scenario.isHot = random.nextInt(5) == 0;
        scenario.tokens = new int[ranks];
        for (int rank = 0; rank < ranks; rank++)
        {
            scenario.tokens[rank] = random.nextInt(4) == 0 ? 0 : random.nextInt(14);
        }

        scenario.isApart = random.nextBoolean();
        scenario.placement = new String[]{"direct", "direct", "ring", "mixed"}[random.nextInt(4)];
        scenario.hasWindows = random.nextInt(4) > 0;
        scenario.isTopkOnDevice = random.nextBoolean();
        scenario.moreTopk = random.nextInt(3);
        scenario.hasOwnWeights = random.nextBoolean();
        // Of its own: the numbers above stay those of the seed.
        final Random tables = new Random(new SplittableRandom(seed ^ TABLES).nextLong());
        scenario.tableMemory = 0 == tables.nextInt(3) ? "auto" : (1 << tables.nextInt(11)) + " B";
        return scenario;
    }

    int ranks()
    {
        return world().size();
    }

    WorldConfig world()
    {
        final WorldConfig all =
            null == ranksOfNodes ? WorldConfig.of(nodes, ranksPerNode) : new WorldConfig(ranksOfNodes);
        return all.without(absent);
    }

    EngineConfig config(final String transport)
    {
        return config(transport, transport);
    }

    EngineConfig config(final String scaleOut, final String scaleUp)
    {
        return config(scaleOut, scaleUp, 0);
    }

    EngineConfig config(final String scaleOut, final String scaleUp, final int rank)
    {
        final EngineConfig all = EngineConfig.from(ConfigFactory.parseString(String.join("\n",
            "transload.nodes = " + nodes,
            "transload.ranks-per-node = " + (null == ranksOfNodes ? ranksPerNode : ranksOfNodes),
            "transload.channels = " + channels,
            "transload.max-hidden = " + hidden,
            "transload.max-topk = " + (topk + moreTopk),
            "transload.max-experts = " + (experts + ranks()),
            "transload.scale-out { transport = " + scaleOut + ", chunk = " + outChunk + ", ring = " + outRing +
            ", credit-batch = " + outBatch + ", credit = " + outCredit + " }",
            "transload.scale-up { transport = " + scaleUp + ", chunk = " + upChunk + ", ring = " + upRing +
            ", credit-batch = " + upBatch + ", credit = " + upCredit + " }",
            "transload.combine.wire = " + (isWireF32 ? "f32" : "bf16"),
            "transload.placement = " + ("mixed".equals(placement) ? 0 == rank % 2 ? "direct" : "ring" : placement),
            "transload.payload { kind = " + kind + ", staging = " + staging + " }",
            // Vectors in code that is not compiled yet are slow; both kinds of kernels give the same bits.
            "transload.kernels.mode = scalar",
            "transload.table-memory = " + tableMemory,
            "transload.threads.count = " + threads, more)));
        return all.without(absent);
    }

    @Override
    public String toString()
    {
        return "seed " + seed + (seed == scheduleSeed ? "" : ", schedule " + scheduleSeed) + ": " + world() +
            " C=" + channels + " T=" + Arrays.toString(tokens) + " K=" + topk + "+" + moreTopk + " E=" + experts +
            " H=" + hidden + (isFp8 ? " fp8 " : " bf16 ") + layout + " align=" + alignment +
            " biases=" + biases + " weights=" + (hasOwnWeights ? "own" : isWeighted) + " f32=" + isWireF32 +
            " out=" + outChunk + "/" + outBatch + "/" + outRing + "/" + outCredit +
            " up=" + upChunk + "/" + upBatch + "/" + upRing + "/" + upCredit + " missing=" + missing +
            (isMissingOnOddRanks ? " odd ranks choose nobody" : "") + " hot=" + isHot + " " + kind +
            (isStaged ? " staged" : isApart ? " apart" : "") +
            ("auto".equals(staging) ? "" : " staging=" + staging) + " " + placement +
            (hasWindows ? "" : " without windows") + (isTopkOnDevice ? " topk on " + kind : "") +
            (null == trace ? "" : " " + trace) + " tables=" + tableMemory + " threads=" + threads;
    }
}
