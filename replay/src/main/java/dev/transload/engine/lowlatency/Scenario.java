/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.lowlatency;

import com.typesafe.config.ConfigFactory;
import dev.transload.engine.World;
import dev.transload.engine.WorldConfig;
import dev.transload.kernels.ScaleFormat;
import dev.transload.reference.Routing;
import dev.transload.spi.MemoryKind;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.SplittableRandom;

/** A world, a model and settings of the low-latency mode, all drawn from a seed or set by hand. */
final class Scenario
{
    private static final int LEAST_DIFFERENT = 16;

    final long seed;
    /** Of the order of all that happens. */
    long scheduleSeed;
    /** Tokens and choices by call, then rank; or null where they are random. Later calls repeat those of the first. */
    List<List<Routing>> routes;
    int nodes = 1;
    int ranksPerNode = 2;
    /** Ranks of each node, null where all have as many. */
    List<Integer> ranksOfNodes;
    int maxTokens = 4;
    int channels = 1;
    /** Whether all ranks are far. */
    boolean isFar;
    int experts = 4;
    int topk = 2;
    int hidden = 128;
    boolean isFp8;
    ScaleFormat format = ScaleFormat.AMAX;
    ScaleLayout layout = ScaleLayout.ROWS;
    double missing = 0.1;
    boolean isHot;
    boolean isEmptyRank;
    MemoryKind kind = MemoryKind.HOST;
    boolean isApart;
    /** Value of {@code payload.staging}. */
    String staging = "auto";
    /** Whether the fabric adds to words of peers; else signals are put. */
    boolean hasAtomics = true;
    /** Calls, and how they overlap: 0 one by one, 1 the next dispatch before the combine, 2 in pairs. */
    int calls = 4;
    int overlap;
    boolean isReleasing;
    /** Whether dispatches that are received at once say so, on some ranks. */
    boolean isAtOnce;
    long timeoutNs = 8_000_000;
    /** A world that has not ended its calls after so many cycles is stalled. */
    int maxCycles = 400_000;

    Scenario(final long seed)
    {
        this.seed = seed;
        this.scheduleSeed = seed;
    }

    /** Four ranks of a node, one of which may be lost. */
    static Scenario ofFour(final long seed)
    {
        final Scenario scenario = new Scenario(seed);
        scenario.ranksPerNode = 4;
        scenario.experts = 8;
        scenario.topk = 3;
        scenario.calls = 6;
        return scenario;
    }

    static Scenario random(final long seed, final MemoryKind kind)
    {
        final Random random = new Random(seed);
        final int[][] worlds = {{1, 1}, {1, 2}, {1, 3}, {2, 1}, {1, 4}, {2, 2}, {3, 1}};
        final int[] world = worlds[random.nextInt(worlds.length)];
        final Scenario scenario = new Scenario(seed);
        scenario.kind = kind;
        scenario.nodes = world[0];
        scenario.ranksPerNode = world[1];
        scenario.maxTokens = 1 + random.nextInt(5);
        scenario.channels = 1 + random.nextInt(3);
        scenario.experts = scenario.ranks() * (1 + random.nextInt(3)) - random.nextInt(scenario.ranks());
        scenario.topk = 1 + random.nextInt(Math.min(5, scenario.experts));
        scenario.hidden = 128 * (1 + random.nextInt(2));
        scenario.isFp8 = random.nextInt(3) == 0;
        scenario.format = random.nextBoolean() ? ScaleFormat.AMAX : ScaleFormat.POWER_OF_TWO;
        scenario.layout = !kind.isHost() ? ScaleLayout.ROWS : ScaleLayout.values()[
            random.nextInt(ScaleFormat.AMAX == scenario.format ? 2 : ScaleLayout.values().length)];
        scenario.missing = random.nextInt(6) == 0 ? 1.0 : random.nextDouble() * 0.5;
        scenario.isHot = random.nextInt(5) == 0;
        scenario.isEmptyRank = random.nextInt(4) == 0;
        scenario.isApart = random.nextBoolean();
        scenario.calls = 2 + random.nextInt(4);
        scenario.overlap = random.nextInt(3);
        scenario.isReleasing = random.nextInt(4) == 0;
        scenario.isAtOnce = random.nextBoolean();
        scenario.isFar = 0 == random.nextInt(3);
        return scenario;
    }

    /** The same ranks on other nodes, each of its own number of them. */
    Scenario uneven()
    {
        final SplittableRandom random = new SplittableRandom(~seed);
        ranksOfNodes = new ArrayList<>();
        for (int left = nodes * ranksPerNode; left > 0; left -= ranksOfNodes.get(ranksOfNodes.size() - 1))
        {
            ranksOfNodes.add(1 + random.nextInt(left));
        }

        return this;
    }

    int ranks()
    {
        return nodes * ranksPerNode;
    }

    WorldConfig world()
    {
        return null == ranksOfNodes ? WorldConfig.of(nodes, ranksPerNode) : new WorldConfig(ranksOfNodes);
    }

    World world(final int rank)
    {
        return new World(world(), rank);
    }

    /** Calls whose rows differ; later ones of given routes begin anew. */
    int differentCalls()
    {
        return null == routes ? Integer.MAX_VALUE : (LEAST_DIFFERENT + routes.size() - 1) / routes.size() *
            routes.size();
    }

    int localExperts()
    {
        return (experts + ranks() - 1) / ranks();
    }

    LowLatencyConfig config(final String scaleOut, final String scaleUp)
    {
        return LowLatencyConfig.from(ConfigFactory.parseString(String.join("\n",
            "transload.nodes = " + world(0).nodes(),
            "transload.ranks-per-node = " + (null == ranksOfNodes ? ranksPerNode : ranksOfNodes),
            "transload.max-hidden = " + hidden,
            "transload.max-topk = " + topk,
            "transload.max-experts = " + experts,
            "transload.scale-out.transport = " + scaleOut,
            "transload.scale-up.transport = " + scaleUp,
            "transload.payload { kind = " + kind + ", staging = " + staging + " }",
            "transload.kernels.mode = scalar",
            "transload.low-latency { max-tokens = " + maxTokens + ", channels = " + channels + ", near = " +
            (isFar ? "never" : "auto") + ", timeout = " + timeoutNs + " ns }")));
    }

    @Override
    public String toString()
    {
        return "seed " + seed + (seed == scheduleSeed ? "" : ", schedule " + scheduleSeed) + ": " +
            (null == ranksOfNodes ? nodes + "x" + ranksPerNode : ranksOfNodes) + " M=" + maxTokens + " C=" + channels +
            " E=" + experts + " K=" + topk + " H=" + hidden + (isFp8 ? " fp8 " + format + " " + layout : " bf16") +
            " missing=" + missing + (isHot ? " hot" : "") + (isEmptyRank ? " empty rank" : "") + " " + kind +
            (isApart ? " apart" : "") +
            ("auto".equals(staging) ? "" : " staging=" + staging) + (isFar ? " far" : "") +
            " calls=" + calls + " overlap=" + overlap +
            (isReleasing ? " releasing" : "") + (isAtOnce ? " at once" : "");
    }
}
