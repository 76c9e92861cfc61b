/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.lowlatency;

import dev.transload.engine.TensorMemory;
import dev.transload.engine.connect.EngineScope;
import dev.transload.engine.connect.HostCopies;
import dev.transload.engine.connect.Transports;
import dev.transload.engine.world.Stage;
import dev.transload.spi.Access;
import dev.transload.spi.ConfigurationException;
import dev.transload.spi.MemoryKind;
import dev.transload.spi.MemoryRegion;
import dev.transload.spi.SignalRegion;
import dev.transload.spi.Transport;
import java.util.ArrayList;
import java.util.List;
import org.agrona.concurrent.UnsafeBuffer;

/** All memory of a low-latency engine: what peers write to, what is sent from, signals, and the caller's tensors. */
final class LowLatencyMemory implements AutoCloseable
{
    private static final int STAGES = Stage.values().length;

    private final LowLatencyConfig config;
    private final Slots slots;
    private final Transports stages;
    private final EngineScope scope;
    private final HostCopies copies;
    private final MemoryRegion[] payload = new MemoryRegion[STAGES];
    private final MemoryRegion[] messages = new MemoryRegion[STAGES];
    private final SignalRegion[] signals = new SignalRegion[STAGES];
    private final UnsafeBuffer[] messageViews = new UnsafeBuffer[STAGES];
    private final List<TensorMemory> tensors = new ArrayList<>();
    private TensorMemory outMessages;
    private UnsafeBuffer outMessageView;
    private TensorMemory sendRows;
    private long lastId;

    LowLatencyMemory(
        final LowLatencyConfig config, final Slots slots, final Transports stages, final EngineScope scope)
    {
        this.config = config;
        this.slots = slots;
        this.stages = stages;
        this.scope = scope;
        this.copies = new HostCopies(stages, scope, config.common().openTimeout());
    }

    /** Take all memory; ranks that write by each stage are known by then. */
    void allocate(final int[] writers)
    {
        slots.requireCountable();
        final long messageBytes = slots.messageBytes(slots.ranks());
        outMessages = allocate(MemoryKind.HOST, 0, messageBytes);
        outMessageView = new UnsafeBuffer(outMessages.hostView(0, (int)messageBytes));
        sendRows = allocate(config.common().payloadKind(), config.common().device(),
            (long)Slots.SETS * slots.maxTokens() * slots.rowStride());
        for (final Stage stage : Stage.values())
        {
            final int count = writers[stage.ordinal()];
            if (count > 0)
            {
                allocate(stage, count);
            }
        }
    }

    private void allocate(final Stage stage, final int writers)
    {
        final Transport transport = stages.of(stage);
        final long payloadBytes = slots.payloadBytes(writers);
        final long messageBytes = slots.messageBytes(writers);
        final long longest = Math.min(transport.capabilities().maxRegionLength(), Integer.MAX_VALUE * 4096L);
        if (payloadBytes > longest || messageBytes > longest)
        {
            throw new ConfigurationException("low-latency buffers of " + payloadBytes + " bytes for rows and " +
                messageBytes + " for messages are not allowed: transport " + transport.capabilities().transport() +
                " has at most " + longest + " in one region; lower transload.low-latency.max-tokens = " +
                config.maxTokens() + ", transload.max-hidden = " + config.common().maxHidden() +
                " or transload.max-experts = " + config.common().maxExperts());
        }

        final int index = stage.ordinal();
        payload[index] = scope.keep(transport.allocate(
            config.common().payloadKind(), config.common().device(), payloadBytes, Access.REMOTE));
        messages[index] = scope.keep(transport.allocate(MemoryKind.HOST, 0, messageBytes, Access.REMOTE));
        messageViews[index] = new UnsafeBuffer(messages[index].hostView(0, (int)messageBytes));
        signals[index] = scope.keep(transport.allocateSignals(slots.signals(), 1));
    }

    TensorMemory allocate(final MemoryKind kind, final int device, final long bytes)
    {
        final MemoryRegion up =
            stages.of(Stage.SCALE_UP).allocate(kind, device, Slots.align(Math.max(1, bytes)), Access.LOCAL);
        return remember(up, kind, up.device(), up.address(), up.length());
    }

    TensorMemory register(final MemoryKind kind, final int device, final long address, final long bytes)
    {
        final MemoryRegion up =
            stages.of(Stage.SCALE_UP).register(kind, device, address, bytes, Access.LOCAL);
        return remember(up, kind, device, address, bytes);
    }

    private TensorMemory remember(
        final MemoryRegion up, final MemoryKind kind, final int device, final long address, final long bytes)
    {
        final Transport out = stages.of(Stage.SCALE_OUT);
        final boolean isOne = null == out || stages.isShared() || !out.capabilities().kinds().contains(kind);
        final MemoryRegion other = isOne ? up : register(out, up, kind, device, address, bytes);
        final TensorMemory memory = new TensorMemory(++lastId, other, up, false, copies);
        tensors.removeIf(TensorMemory::isClosed);
        tensors.add(memory);
        return memory;
    }

    /** With the other transport, or with none. */
    private static MemoryRegion register(
        final Transport transport, final MemoryRegion first, final MemoryKind kind, final int device,
        final long address, final long bytes)
    {
        try
        {
            return transport.register(kind, device, address, bytes, Access.LOCAL);
        }
        catch (final RuntimeException ex)
        {
            first.close();
            throw ex;
        }
    }

    /** Registration of memory with a stage's transport. */
    static MemoryRegion region(final TensorMemory memory, final Stage stage)
    {
        return Stage.SCALE_OUT == stage ? memory.scaleOutRegion() : memory.scaleUpRegion();
    }

    Transports stages()
    {
        return stages;
    }

    MemoryRegion payload(final Stage stage)
    {
        return payload[stage.ordinal()];
    }

    MemoryRegion messages(final Stage stage)
    {
        return messages[stage.ordinal()];
    }

    /** Where the messages begin that peers write by a stage. */
    long messageAddress(final Stage stage)
    {
        return messageViews[stage.ordinal()].addressOffset();
    }

    SignalRegion signals(final Stage stage)
    {
        return signals[stage.ordinal()];
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

    @Override
    public void close()
    {
        tensors.forEach(TensorMemory::close);
        tensors.clear();
    }
}
