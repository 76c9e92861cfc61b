/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.lowlatency;

import dev.transload.engine.EngineConfig;
import dev.transload.engine.TensorMemory;
import dev.transload.engine.connect.Arena;
import dev.transload.engine.connect.EngineScope;
import dev.transload.engine.connect.Memory;
import dev.transload.engine.connect.Section;
import dev.transload.engine.connect.TensorAllocator;
import dev.transload.engine.connect.Transports;
import dev.transload.engine.world.Stage;
import dev.transload.spi.ConfigurationException;
import dev.transload.spi.MemoryKind;
import dev.transload.spi.MemoryRegion;
import dev.transload.spi.SignalRegion;
import java.util.ArrayList;
import java.util.List;
import org.agrona.concurrent.UnsafeBuffer;

/** Memory of a low-latency engine: by stage what peers write to, in arenas of their own; and what is sent from. */
final class LowLatencyMemory
{
    private static final Stage[] STAGES = Stage.values();

    private final Slots slots;
    private final Section[] payload = new Section[STAGES.length];
    private final Section[] messages = new Section[STAGES.length];
    private final Memory memory;
    private final TensorMemory outMessages;
    private final UnsafeBuffer outMessageView;
    private final TensorMemory sendRows;

    /**
     * Takes all of it.
     *
     * @param config  settings.
     * @param slots   its layout.
     * @param scope   of the engine.
     * @param stages  transports.
     * @param tensors for what is sent from.
     * @param writers ranks that write by each stage.
     */
    LowLatencyMemory(
        final LowLatencyConfig config, final Slots slots, final EngineScope scope, final Transports stages,
        final TensorAllocator tensors, final int[] writers)
    {
        this.slots = slots;
        slots.requireCountable();
        final EngineConfig common = config.common();
        final int[] signals = new int[STAGES.length];
        final List<Arena> arenas = new ArrayList<>();
        for (final Stage stage : STAGES)
        {
            final int count = writers[stage.ordinal()];
            final long payloadBytes = 0 == count ? 0 : slots.payloadBytes(count);
            final long messageBytes = 0 == count ? 0 : slots.messageBytes(count);
            if (count > 0)
            {
                requireFitting(config, stages, stage, payloadBytes, messageBytes);
            }

            signals[stage.ordinal()] = 0 == count ? 0 : slots.signals();
            payload[stage.ordinal()] = section(arenas, common.payloadKind(), stage, payloadBytes, false);
            messages[stage.ordinal()] = section(arenas, MemoryKind.HOST, stage, messageBytes, true);
        }

        this.memory = new Memory(scope, stages, arenas);
        memory.allocate(common.device(), signals);
        final long outBytes = slots.messageBytes(slots.ranks());
        this.outMessages = tensors.allocate(MemoryKind.HOST, 0, outBytes);
        this.outMessageView = new UnsafeBuffer(outMessages.hostView(0, (int)outBytes));
        this.sendRows = tensors.allocate(common.payloadKind(), common.device(),
            (long)Slots.SETS * slots.maxTokens() * slots.rowStride());
    }

    private static Section section(
        final List<Arena> arenas, final MemoryKind kind, final Stage stage, final long bytes, final boolean isHostView)
    {
        final Arena arena = Arena.ofOneStage(arenas.size(), kind, stage);
        arenas.add(arena);
        return new Section(arena, 1, bytes, isHostView);
    }

    private static void requireFitting(
        final LowLatencyConfig config, final Transports stages, final Stage stage, final long payloadBytes,
        final long messageBytes)
    {
        final long longest =
            Math.min(stages.of(stage).capabilities().maxRegionLength(), Integer.MAX_VALUE * 4096L);
        if (payloadBytes > longest || messageBytes > longest)
        {
            throw new ConfigurationException("low-latency buffers of " + payloadBytes + " bytes for rows and " +
                messageBytes + " for messages are not allowed: transport " +
                stages.of(stage).capabilities().transport() + " has at most " + longest +
                " in one region; lower transload.low-latency.max-tokens = " + config.maxTokens() +
                ", transload.max-hidden = " + config.common().maxHidden() + " or transload.max-experts = " +
                config.common().maxExperts());
        }
    }

    /** Registration of memory with a stage's transport. */
    static MemoryRegion region(final TensorMemory memory, final Stage stage)
    {
        return Stage.SCALE_OUT == stage ? memory.scaleOutRegion() : memory.scaleUpRegion();
    }

    /** What peers write to, as they import it. */
    Memory written()
    {
        return memory;
    }

    Section payloadSection(final Stage stage)
    {
        return payload[stage.ordinal()];
    }

    Section messageSection(final Stage stage)
    {
        return messages[stage.ordinal()];
    }

    MemoryRegion payload(final Stage stage)
    {
        return payloadSection(stage).arena().region(stage);
    }

    /** Where the messages begin that peers write by a stage. */
    long messageAddress(final Stage stage)
    {
        return messageSection(stage).buffer().addressOffset();
    }

    SignalRegion signals(final Stage stage)
    {
        return memory.signals(stage);
    }

    /** Messages to others, and what stands for those to the own rank. */
    TensorMemory outMessages()
    {
        return outMessages;
    }

    /** Where a message to a rank is. */
    long outMessageAddress(final int set, final int rank, final int channel)
    {
        return outMessageView.addressOffset() + outMessage(set, rank, channel);
    }

    /** Place of a message to a rank. */
    long outMessage(final int set, final int rank, final int channel)
    {
        return slots.message(set, rank, slots.ranks(), channel);
    }

    /** Rows that were cast. */
    TensorMemory sendRows()
    {
        return sendRows;
    }

    long sendRow(final int set, final int token)
    {
        return ((long)set * slots.maxTokens() + token) * slots.rowStride();
    }
}
