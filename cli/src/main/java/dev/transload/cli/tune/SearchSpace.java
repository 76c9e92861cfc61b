/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.tune;

import dev.transload.engine.EngineConfig;
import dev.transload.engine.StageConfig;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;

/** What there is to vary in normal mode: channels, threads and, for each stage, chunk, ring and credit batch. */
final class SearchSpace
{
    static final String CHANNELS = "channels";
    static final String COUNT = "threads.count";
    static final String IDLE = "threads.idle";
    static final String CHUNK = ".chunk";
    static final String RING = ".ring";
    static final String BATCH = ".credit-batch";
    static final String OUT = "scale-out";
    static final String UP = "scale-up";

    /** All keys that may be varied, below {@code transload}. */
    static final List<String> KEYS = List.of(CHANNELS, COUNT, IDLE, OUT + CHUNK, OUT + RING, OUT + BATCH, UP + CHUNK,
        UP + RING, UP + BATCH);

    private static final int[] CHANNEL_COUNTS = {1, 2, 4, 8};
    private static final int[] THREAD_COUNTS = {1, 2, 3, 4, 5, 8};
    private static final double[] CHUNK_FACTORS = {0.25, 0.5, 2, 4};
    private static final int[] CHUNKS_OF_A_RING = {2, 4, 8, 16};
    private static final int[] BATCHES_OF_A_CHUNK = {1, 2, 4};

    private final Function<Candidate, EngineConfig> configs;
    private final int coresPerRank;
    private final Set<String> fixed;

    /**
     * Of a world.
     *
     * @param configs      settings of a candidate, threads settled; what comes to the same is not tried again.
     * @param coresPerRank whole cores for each rank, 0 where ranks outnumber them.
     * @param fixed        keys below {@code transload} that stay as they are.
     */
    SearchSpace(final Function<Candidate, EngineConfig> configs, final int coresPerRank, final Set<String> fixed)
    {
        this.configs = configs;
        this.coresPerRank = coresPerRank;
        this.fixed = fixed;
    }

    /** In the order in which they are varied: what changes most comes first. */
    List<Dimension> dimensions()
    {
        final List<Dimension> all = new ArrayList<>();
        add(all, CHANNELS, (from) -> numbers(from, CHANNELS, CHANNEL_COUNTS));
        add(all, COUNT, this::threads);
        add(all, IDLE, this::idle);
        for (final String stage : configs.apply(Candidate.DEFAULT).nodes() > 1 ? List.of(OUT, UP) : List.of(UP))
        {
            add(all, stage + CHUNK, (from) -> chunks(from, stage));
            add(all, stage + RING, (from) -> rings(from, stage));
            add(all, stage + BATCH, (from) -> batches(from, stage));
        }

        return all;
    }

    private void add(final List<Dimension> all, final String key, final Function<Candidate, List<Candidate>> around)
    {
        if (!fixed.contains(key))
        {
            all.add(Dimension.of(key, around, configs));
        }
    }

    static List<Candidate> numbers(final Candidate from, final String key, final int... values)
    {
        final List<Candidate> all = new ArrayList<>();
        for (final int value : values)
        {
            all.add(from.with(key, String.valueOf(value)));
        }

        return all;
    }

    /** No more threads than cores, but two at least: threads of one rank rarely wait for work at the same time. */
    private List<Candidate> threads(final Candidate from)
    {
        final Set<Candidate> all = new LinkedHashSet<>();
        final Candidate loose = from.without(COUNT);
        if (0 == configs.apply(loose).threads())
        {
            // Ranks outnumber cores, and drive their engines unless told otherwise.
            all.add(loose);
        }

        for (final int count : THREAD_COUNTS)
        {
            if (count <= Math.max(2, coresPerRank))
            {
                all.add(from.with(COUNT, String.valueOf(count)));
            }
        }

        return List.copyOf(all);
    }

    /** A thread that spins needs a core of its own. */
    private List<Candidate> idle(final Candidate from)
    {
        final List<Candidate> all = new ArrayList<>(List.of(from.with(IDLE, "backoff"), from.with(IDLE, "yield")));
        if (Math.max(1, configs.apply(from).threads()) <= coresPerRank)
        {
            all.add(from.with(IDLE, "spin"));
        }

        return all;
    }

    /** Ring and credit batch follow the chunk again; those that are fixed are no part of candidates. */
    private List<Candidate> chunks(final Candidate from, final String stage)
    {
        final int chunk = stage(from, stage).chunk();
        final Candidate loose = from.without(stage + RING).without(stage + BATCH);
        final Set<Candidate> all = new LinkedHashSet<>();
        for (final double factor : CHUNK_FACTORS)
        {
            all.add(loose.with(stage + CHUNK, String.valueOf(Math.max(1, Math.round(factor * chunk)))));
        }

        return List.copyOf(all);
    }

    private List<Candidate> rings(final Candidate from, final String stage)
    {
        final int chunk = stage(from, stage).chunk();
        final int[] rings = CHUNKS_OF_A_RING.clone();
        for (int i = 0; i < rings.length; i++)
        {
            rings[i] *= chunk;
        }

        return numbers(from, stage + RING, rings);
    }

    private List<Candidate> batches(final Candidate from, final String stage)
    {
        final int chunk = stage(from, stage).chunk();
        final Set<Candidate> all = new LinkedHashSet<>();
        for (final int part : BATCHES_OF_A_CHUNK)
        {
            all.add(from.with(stage + BATCH, String.valueOf(Math.max(1, chunk / part))));
        }

        return List.copyOf(all);
    }

    private StageConfig stage(final Candidate candidate, final String stage)
    {
        final EngineConfig config = configs.apply(candidate);
        return OUT.equals(stage) ? config.scaleOut() : config.scaleUp();
    }

    /**
     * What keys come to.
     *
     * @param config of a candidate, with settled threads.
     * @return values by key below {@code transload}, of those that a search varies.
     */
    static Map<String, String> values(final EngineConfig config)
    {
        final Map<String, String> values = new TreeMap<>();
        values.put(CHANNELS, String.valueOf(config.channels()));
        values.put(COUNT, String.valueOf(config.threads()));
        values.put(IDLE, config.threading().idle().name().toLowerCase(Locale.ROOT));
        put(values, UP, config.scaleUp());
        if (config.nodes() > 1)
        {
            put(values, OUT, config.scaleOut());
        }

        return values;
    }

    private static void put(final Map<String, String> values, final String section, final StageConfig stage)
    {
        values.put(section + CHUNK, String.valueOf(stage.chunk()));
        values.put(section + RING, String.valueOf(stage.ring()));
        values.put(section + BATCH, String.valueOf(stage.creditBatch()));
    }
}
