/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.lowlatency;

import dev.transload.engine.EngineConfig;
import dev.transload.engine.internal.connect.Arena;
import dev.transload.engine.internal.connect.EngineScope;
import dev.transload.engine.internal.connect.Memory;
import dev.transload.engine.internal.connect.Section;
import dev.transload.engine.internal.connect.Transports;
import dev.transload.engine.internal.world.Stage;
import dev.transload.kernels.StepMemory;
import dev.transload.kernels.StepPeer;
import dev.transload.spi.ConfigurationException;
import dev.transload.spi.MemoryKind;
import dev.transload.spi.SignalRegion;
import java.util.ArrayList;
import java.util.List;

/** What peers of a low-latency engine write to: by stage and lane an arena of words, and one of slots. */
final class LowLatencyMemory
{
    private static final Stage[] STAGES = Stage.values();

    private final Section[] words = new Section[STAGES.length * Shape.LANES];
    private final Section[] slots = new Section[words.length];
    private final Memory memory;

    /**
     * Takes all of it.
     *
     * @param config  settings.
     * @param shape   sizes.
     * @param scope scope of the engine.
     * @param stages  transports.
     * @param writers ranks that write by each stage; this rank itself writes by the scale-up stage.
     * @param device  what steps of the device need, null where threads do the steps. Its ranks use no slots of those
     *                that are near; far ones write words and slots in host memory, which the device reads.
     */
    LowLatencyMemory(
        final LowLatencyConfig config, final Shape shape, final EngineScope scope, final Transports stages,
        final int[] writers, final StepMemory device)
    {
        final long controlBytes = null == device ? shape.controlBytes() : device.wordsBytes();
        shape.requireCountable();
        final EngineConfig common = config.common();
        final int[] signals = new int[STAGES.length];
        final List<Arena> arenas = new ArrayList<>();
        for (final Stage stage : STAGES)
        {
            final boolean isWritten = Stage.SCALE_UP == stage || writers[stage.ordinal()] > 0;
            final boolean isOfNear = null != device && Stage.SCALE_UP == stage;
            final MemoryKind controlKind = isOfNear ? device.controlKind() : MemoryKind.HOST;
            final MemoryKind slotsKind = null == device ? common.payloadKind() : MemoryKind.HOST;
            final long slotsBytes = isOfNear ? 0 : null == device ? shape.slotsBytes() : device.slotsBytes();
            if (isWritten)
            {
                requireFitting(config, stages, stage, controlBytes, slotsBytes);
            }

            signals[stage.ordinal()] = isWritten ? shape.ranks() * config.channels() : 0;
            for (int lane = 0; lane < Shape.LANES; lane++)
            {
                words[at(stage, lane)] =
                    section(arenas, controlKind, stage, isWritten ? controlBytes : 0);
                slots[at(stage, lane)] =
                    section(arenas, slotsKind, stage, isWritten ? slotsBytes : 0);
            }
        }

        this.memory = new Memory(scope, stages, arenas);
        memory.allocate(common.device(), signals);
    }

    private static int at(final Stage stage, final int lane)
    {
        return stage.ordinal() * Shape.LANES + lane;
    }

    private static Section section(
        final List<Arena> arenas, final MemoryKind kind, final Stage stage, final long bytes)
    {
        final Arena arena = Arena.ofOneStage(arenas.size(), kind, stage);
        arenas.add(arena);
        return new Section(arena, 1, bytes, false);
    }

    private static void requireFitting(
        final LowLatencyConfig config, final Transports stages, final Stage stage,
        final long controlBytes, final long slotsBytes)
    {
        final long longest = stages.of(stage).capabilities().maxRegionLength();
        if (slotsBytes > longest || controlBytes > longest)
        {
            throw new ConfigurationException("low-latency buffers of " + slotsBytes + " bytes for rows and " +
                controlBytes + " for words are not allowed: transport " +
                stages.of(stage).capabilities().transport() + " has at most " + longest +
                " in one region; lower transload.low-latency.max-tokens = " + config.maxTokens() +
                ", transload.max-hidden = " + config.common().maxHidden() + " or transload.max-topk = " +
                config.common().maxTopk());
        }
    }

    /** What peers write to, as they import it. */
    Memory written()
    {
        return memory;
    }

    Section words(final Stage stage, final int lane)
    {
        return words[at(stage, lane)];
    }

    Section slots(final Stage stage, final int lane)
    {
        return slots[at(stage, lane)];
    }

    /** Own memory that ranks write to by a stage. */
    StepPeer own(final Stage stage, final int lane)
    {
        return StepPeer.near(words(stage, lane).arena().region(stage), slots(stage, lane).arena().region(stage));
    }

    SignalRegion signals(final Stage stage)
    {
        return memory.signals(stage);
    }
}
