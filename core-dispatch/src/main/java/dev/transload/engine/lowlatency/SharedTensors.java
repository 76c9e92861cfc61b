/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.lowlatency;

import dev.transload.engine.BadInputException;
import dev.transload.engine.EngineConfig;
import dev.transload.engine.TensorMemory;
import dev.transload.engine.internal.connect.EngineScope;
import dev.transload.engine.internal.connect.Packing;
import dev.transload.engine.internal.connect.TensorAllocator;
import dev.transload.kernels.StepOutput;
import dev.transload.kernels.StepSession;
import dev.transload.kernels.StepWords;
import dev.transload.spi.MemoryKind;
import dev.transload.spi.MemoryRegion;
import dev.transload.spi.TransportUnavailableException;
import dev.transload.spi.Worker;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntPredicate;

/**
 * Outputs and answers of device steps, which near ranks reach in place, by number. All ranks make each of them at once;
 * none is unmapped before the engine closes.
 */
final class SharedTensors
{
    private final EngineConfig config;
    private final EngineScope scope;
    private final TensorAllocator allocator;
    private final MemoryKind controlKind;
    private final Worker worker;
    private final IntPredicate isFar;
    private final List<StepSession> sessions = new ArrayList<>();
    private final List<TensorMemory> rows = new ArrayList<>();
    private final List<TensorMemory> infos = new ArrayList<>();

    SharedTensors(
        final EngineConfig config, final EngineScope scope, final TensorAllocator allocator,
        final MemoryKind controlKind, final Worker worker, final IntPredicate isFar)
    {
        this.isFar = isFar;
        this.config = config;
        this.scope = scope;
        this.allocator = allocator;
        this.controlKind = controlKind;
        this.worker = worker;
    }

    /** Of a lane: each knows all tensors. */
    void add(final StepSession session)
    {
        sessions.add(session);
    }

    /**
     * Number of a tensor's memory.
     *
     * @param memory given out by this.
     * @return number, −1 where it was not.
     */
    int number(final TensorMemory memory)
    {
        for (int number = 0; number < rows.size(); number++)
        {
            if (rows.get(number) == memory)
            {
                return number;
            }
        }

        return -1;
    }

    TensorMemory rows(final int number)
    {
        return rows.get(number);
    }

    /** Null of answers. */
    TensorMemory info(final int number)
    {
        return infos.get(number);
    }

    /**
     * Make one, with all other ranks.
     *
     * @param rowsBytes size of rows and scales.
     * @param infoBytes size of an output's info, 0 for answers.
     * @return number.
     * @throws BadInputException             if there are too many, or ranks ask for different sizes.
     * @throws TransportUnavailableException if a rank has no room.
     */
    int allocate(final long rowsBytes, final long infoBytes)
    {
        final int number = rows.size();
        if (StepWords.MAX_TENSORS == number)
        {
            throw new BadInputException(
                "an engine has at most " + StepWords.MAX_TENSORS + " outputs and answers that its ranks share");
        }

        final List<ByteBuffer> offers =
            scope.allGather("tensors." + number, offer(rowsBytes, infoBytes), config.openTimeout());
        final String sizes = sizes(rowsBytes, infoBytes);
        for (int rank = 0; rank < offers.size(); rank++)
        {
            final Packing theirs = new Packing(offers.get(rank));
            final String obstacle = text(theirs);
            if (!obstacle.isEmpty())
            {
                throw new TransportUnavailableException("rank " + rank + " has no output or answers: " + obstacle,
                    null);
            }

            final String their = text(theirs);
            if (!sizes.equals(their))
            {
                throw new BadInputException("an output or answers of " + sizes + " on rank " +
                    scope.world().rank() + " and of " + their + " on rank " + rank +
                    ": all ranks must make the same, in the same order");
            }

            if (!isFar.test(rank))
            {
                reach(rank, number, theirs.get(), theirs.get());
            }
        }

        return number;
    }

    /** Own memory, or why there is none. */
    private ByteBuffer offer(final long rowsBytes, final long infoBytes)
    {
        final Packing mine = new Packing();
        try
        {
            final TensorMemory ofRows = allocator.allocateExposed(config.payloadKind(), config.device(), rowsBytes);
            final TensorMemory ofInfo =
                0 == infoBytes ? null : allocator.allocateExposed(controlKind, config.device(), infoBytes);
            rows.add(ofRows);
            infos.add(ofInfo);
            mine.put("".getBytes(StandardCharsets.UTF_8));
            mine.put(sizes(rowsBytes, infoBytes).getBytes(StandardCharsets.UTF_8));
            mine.put(ofRows.descriptor());
            mine.put(null == ofInfo ? new byte[0] : ofInfo.descriptor());
        }
        catch (final TransportUnavailableException ex)
        {
            mine.put(ex.getMessage().getBytes(StandardCharsets.UTF_8));
        }

        return mine.toBuffer();
    }

    private static String sizes(final long rowsBytes, final long infoBytes)
    {
        return rowsBytes + " + " + infoBytes + " bytes";
    }

    private static String text(final Packing packing)
    {
        return StandardCharsets.UTF_8.decode(packing.get()).toString();
    }

    private void reach(final int rank, final int number, final ByteBuffer ofRows, final ByteBuffer ofInfo)
    {
        final boolean isOwn = rank == scope.world().rank();
        final MemoryRegion rowsRegion = isOwn ? rows.get(number).scaleUpRegion() : window(rank, ofRows);
        final MemoryRegion infoRegion = null == infos.get(number) ? null :
            isOwn ? infos.get(number).scaleUpRegion() : window(rank, ofInfo);
        for (final StepSession session : sessions)
        {
            session.answers(rank, number, rowsRegion);
            if (null != infoRegion)
            {
                session.output(rank, number, new StepOutput(rowsRegion, infoRegion));
            }
        }
    }

    private MemoryRegion window(final int rank, final ByteBuffer descriptor)
    {
        final MemoryRegion window = worker.importRegion(rank, descriptor).window();
        if (null == window)
        {
            throw new TransportUnavailableException("an output or answers of rank " + rank +
                " cannot be reached in place, as rank " + scope.world().rank() + " does its words", null);
        }

        return window;
    }
}
