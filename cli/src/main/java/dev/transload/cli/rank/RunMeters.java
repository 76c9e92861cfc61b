/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.rank;

import dev.transload.cli.rank.RankReport.ProcessorReport;
import dev.transload.engine.Engine;
import dev.transload.engine.EngineStatistics;

/**
 * What the iterations of one rank cost: figures of the engine from the end of the warm-up on, heap and processor time
 * from the middle of the others on. What takes place in pauses, as verification does, is in none of them.
 */
final class RunMeters
{
    private final Engine engine;
    private final CallTimes times;
    private final AllocationMeter allocation;
    private EngineStatistics before;
    private EngineFigures paused;
    private ProcessorMeter processor;
    private long allocatedBefore;
    private EngineStatistics beforePause;
    private long allocatedBeforePause;
    private long pauseNs;
    private long pausedNs;

    RunMeters(final Engine engine, final CallTimes times)
    {
        this.engine = engine;
        this.times = times;
        this.allocation = new AllocationMeter(engine.config());
        this.paused = EngineFigures.none(engine.config().worldSize());
    }

    /** The warm-up is over. */
    void beginFigures()
    {
        before = engine.statistics();
        paused = EngineFigures.none(before.waitNsPerRank().length);
    }

    /** Half of the iterations that count are made. */
    void beginSteady()
    {
        allocatedBefore = allocation.bytes();
        processor = new ProcessorMeter();
    }

    /** What follows is no part of an iteration; looking at figures takes heap, which the heap's figure must not see. */
    void pause()
    {
        pauseNs = System.nanoTime();
        allocatedBeforePause = allocation.bytes();
        beforePause = engine.statistics();
        if (null != processor)
        {
            processor.pause();
        }
    }

    /** Iterations go on. */
    void resume()
    {
        paused = paused.with(EngineFigures.between(beforePause, engine.statistics()));
        if (null != processor)
        {
            processor.resume();
        }

        final long ns = System.nanoTime() - pauseNs;
        pausedNs += ns;
        times.exclude(ns);
        allocatedBefore += allocation.bytes() - allocatedBeforePause;
    }

    /** Time of all pauses so far. */
    long pausedNs()
    {
        return pausedNs;
    }

    /** As {@link #figures()}, until the pause that lasts. */
    EngineFigures figuresAtPause()
    {
        return EngineFigures.between(before, beforePause).without(paused);
    }

    /** As {@link #allocatedBytes}, until the pause that lasts; not a number before half of the iterations are made. */
    double allocatedBytesAtPause(final int iterations)
    {
        return null == processor ? Double.NaN : (allocatedBeforePause - allocatedBefore) / (double)iterations;
    }

    /** As {@link #used}, until the pause that lasts; not numbers before half of the iterations are made. */
    ProcessorReport usedAtPause(final int iterations)
    {
        return null == processor ? ProcessorReport.UNKNOWN : processor.usedAtPause(iterations);
    }

    EngineFigures figures()
    {
        return EngineFigures.between(before, engine.statistics()).without(paused);
    }

    /** Heap that an iteration takes once warm. */
    double allocatedBytes(final int iterations)
    {
        return (allocation.bytes() - allocatedBefore) / (double)iterations;
    }

    ProcessorReport used(final int iterations)
    {
        return processor.used(iterations);
    }
}
