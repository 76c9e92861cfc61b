/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.tune;

import dev.transload.engine.EngineConfig;
import dev.transload.engine.IdleMode;
import dev.transload.engine.Near;
import dev.transload.engine.lowlatency.LowLatencyConfig;
import dev.transload.spi.TransportRegistry;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.IntSupplier;

/**
 * What there is to vary in low latency: which ranks are near, channels to far ranks, and what threads do without work.
 * Messages of far ranks may need the transport's own thread; those of near ranks need no thread but the caller's.
 */
final class LowLatencySpace
{
    static final String NEAR = "low-latency.near";
    static final String CHANNELS = "low-latency.channels";

    /** Some rank of the same node is near. */
    static final int NEAR_RANKS = 1;

    /** Some rank of another node is near. */
    static final int NEAR_ELSEWHERE = 2;

    /** Some rank is far. */
    static final int FAR_RANKS = 4;

    private static final String IDLE_OPTION = "idle";
    private static final String BACKOFF = "backoff";
    private static final int[] CHANNEL_COUNTS = {1, 2, 4, 8};

    /** The caller's thread and the transport's. */
    private static final int THREADS = 2;

    private final Function<Candidate, LowLatencyConfig> configs;
    private final List<String> transports;
    private final int coresPerRank;
    private final Set<String> fixed;
    private final IntSupplier reach;

    /**
     * Of a world.
     *
     * @param configs      settings of a candidate.
     * @param transports   of the stages, as {@link #transports}.
     * @param coresPerRank whole cores for each rank, 0 where ranks outnumber them.
     * @param fixed        keys below {@code transload} that stay as they are.
     * @param reach        how ranks reach each other by default, known after the first trial.
     */
    LowLatencySpace(
        final Function<Candidate, LowLatencyConfig> configs, final List<String> transports, final int coresPerRank,
        final Set<String> fixed, final IntSupplier reach)
    {
        this.configs = configs;
        this.transports = transports;
        this.coresPerRank = coresPerRank;
        this.fixed = fixed;
        this.reach = reach;
    }

    /**
     * Keys that may be varied.
     *
     * @param config of a world, transports resolved.
     * @return keys below {@code transload}.
     */
    static List<String> keys(final EngineConfig config)
    {
        final List<String> keys = new ArrayList<>(List.of(NEAR, CHANNELS, SearchSpace.IDLE));
        transports(config).forEach((name) -> keys.add(idleOf(name)));
        return keys;
    }

    /**
     * Transports of the stages whose own thread can be told what to do without work.
     *
     * @param config of a world, transports resolved.
     * @return different names.
     */
    static List<String> transports(final EngineConfig config)
    {
        final TransportRegistry registry = TransportRegistry.discover();
        final List<String> names = config.nodes() > 1 ?
            List.of(config.scaleOut().transport(), config.scaleUp().transport()) :
            List.of(config.scaleUp().transport());
        return names.stream().distinct().filter((name) -> registry.provider(name).options().stream()
            .anyMatch((option) -> IDLE_OPTION.equals(option.key()))).toList();
    }

    private static String idleOf(final String transport)
    {
        return transport + "." + IDLE_OPTION;
    }

    /** In the order in which they are varied: what changes most comes first. */
    List<Dimension> dimensions()
    {
        final List<Dimension> all = new ArrayList<>();
        add(all, NEAR, this::near);
        add(all, CHANNELS, (from) -> hasFar(from) ? SearchSpace.numbers(from, CHANNELS, CHANNEL_COUNTS) : List.of());
        add(all, SearchSpace.IDLE, (from) -> idle(from, SearchSpace.IDLE, 1));
        for (final String name : transports)
        {
            add(all, idleOf(name), (from) -> hasFar(from) ? idle(from, idleOf(name), THREADS) : List.of());
        }

        return all;
    }

    private void add(final List<Dimension> all, final String key, final Function<Candidate, List<Candidate>> around)
    {
        if (!fixed.contains(key))
        {
            all.add(Dimension.of(key, around, this::values));
        }
    }

    /** Others than by default only make ranks far that are near. */
    private List<Candidate> near(final Candidate from)
    {
        final List<Candidate> all = new ArrayList<>();
        if (0 != (reach.getAsInt() & NEAR_RANKS + NEAR_ELSEWHERE))
        {
            all.add(from.without(NEAR));
            all.add(from.with(NEAR, "never"));
        }

        if (0 != (reach.getAsInt() & NEAR_ELSEWHERE))
        {
            all.add(from.with(NEAR, "node"));
        }

        return all;
    }

    private boolean hasFar(final Candidate from)
    {
        final Near usual = configs.apply(Candidate.DEFAULT).near();
        return usual != configs.apply(from).near() || 0 != (reach.getAsInt() & FAR_RANKS);
    }

    private List<Candidate> idle(final Candidate from, final String key, final int threads)
    {
        final List<Candidate> all = new ArrayList<>(List.of(from.with(key, BACKOFF), from.with(key, "yield")));
        if (threads <= coresPerRank)
        {
            all.add(from.with(key, "spin"));
        }

        return all;
    }

    /**
     * What keys come to.
     *
     * @param candidate any.
     * @return values by key below {@code transload}, of those that a search varies.
     */
    Map<String, String> values(final Candidate candidate)
    {
        final LowLatencyConfig config = configs.apply(candidate);
        final IdleMode idle = config.common().threading().idle();
        final Map<String, String> values = new TreeMap<>();
        values.put(NEAR, name(config.near()));
        values.put(CHANNELS, String.valueOf(config.channels()));
        values.put(SearchSpace.IDLE, IdleMode.AUTO == idle ? BACKOFF : name(idle));
        transports.forEach((name) -> values.put(idleOf(name),
            config.common().optionsOf(name).getOrDefault(IDLE_OPTION, BACKOFF)));
        return values;
    }

    private static String name(final Enum<?> value)
    {
        return value.name().toLowerCase(Locale.ROOT);
    }
}
