/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.examples.decode;

import dev.transload.kernels.DeviceQueue;
import dev.transload.kernels.RowKernels;
import dev.transload.kernels.ScaleFormat;
import dev.transload.kernels.StepArguments;
import dev.transload.kernels.StepMemory;
import dev.transload.kernels.StepOutput;
import dev.transload.kernels.StepPeer;
import dev.transload.kernels.StepPlacement;
import dev.transload.kernels.StepProgram;
import dev.transload.kernels.StepScales;
import dev.transload.kernels.StepSession;
import dev.transload.kernels.StepStatus;
import dev.transload.spi.Access;
import dev.transload.spi.MemoryKind;
import dev.transload.spi.MemoryRegion;
import dev.transload.spi.Transport;
import dev.transload.spi.TransportConfig;
import dev.transload.spi.Worker;
import dev.transload.transport.nvlink.CudaRowKernelsProvider;
import dev.transload.transport.nvlink.NvlinkTransportProvider;
import dev.transload.transport.nvlink.cuda.CudaDevice;
import dev.transload.transport.nvlink.cuda.CudaDriver;
import dev.transload.transport.nvlink.cuda.CudaStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * One rank of a model on a GPU: its memory, a session of device steps, and a stream that they run on. Layer l reads the
 * sums of layer l − 1, and its own selections and weights.
 */
final class DecodeRank implements AutoCloseable
{
    /** Output, and answers tensor, where experts answer in the rows that they got. */
    static final int ROWS = 0;

    /** Answers that nobody writes: to measure by. */
    static final int CONSTANT = 1;

    private static final byte NAN_BYTE = -1;
    private static final long TIMEOUT_NS = TimeUnit.SECONDS.toNanos(60);

    final DecodeModel model;
    final int rank;
    final CudaStream stream;
    private final CudaDevice device;
    private final Transport transport;
    private final RowKernels kernels;
    private final StepSession session;
    private final StepProgram dispatch;
    private final StepProgram combine;
    private final StepOutput output;
    private final MemoryRegion x;
    private final MemoryRegion ids;
    private final MemoryRegion weights;
    /** Of all layers, one behind the other. */
    private final MemoryRegion sums;
    private final MemoryRegion host;
    private final DeviceQueue queue;
    private final StepArguments arguments = new StepArguments();
    private MemoryRegion leftOut;
    private MemoryRegion nan;

    /**
     * Opens it, with all others.
     *
     * @param model   of all ranks.
     * @param rank    of this one.
     * @param ordinal of its device.
     * @param options of the transport nvlink.
     * @param meeting of all ranks.
     */
    DecodeRank(
        final DecodeModel model, final int rank, final int ordinal, final Map<String, String> options,
        final FileMeeting meeting)
    {
        this.model = model;
        this.rank = rank;
        device = CudaDriver.open(options.getOrDefault("library", CudaDriver.DEFAULT_LIBRARY)).device(ordinal);
        stream = device.openStream();
        queue = new DeviceQueue(MemoryKind.CUDA, ordinal, stream.handle());
        final Map<String, String> own = new HashMap<>(options);
        own.put("device", Integer.toString(ordinal));
        transport = new NvlinkTransportProvider().open(TransportConfig.builder().rank(rank).worldSize(model.ranks())
            .incarnation(1).options(own).build());
        kernels = new CudaRowKernelsProvider().open(ordinal, options);
        final StepMemory memory = kernels.steps().memory(model.shape(rank));
        final int local = model.shape(rank).localExperts();
        final List<MemoryRegion> regions = List.of(
            allocate(memory.wordsBytes(), Access.REMOTE),
            allocate(StepOutput.rowsBytes(model.places(), model.hidden(), null), Access.REMOTE),
            allocate(StepOutput.infoBytes(model.places(), local * model.ranks(), local), Access.REMOTE),
            allocate(StepOutput.rowsBytes(model.places(), model.hidden(), null), Access.REMOTE));
        output = new StepOutput(regions.get(1), regions.get(2));
        x = allocate(model.batchBytes(), Access.LOCAL);
        ids = allocate((long)model.layers() * model.selections() * Integer.BYTES, Access.LOCAL);
        weights = allocate((long)model.layers() * model.selections() * Float.BYTES, Access.LOCAL);
        sums = allocate((long)model.layers() * model.batchBytes(), Access.LOCAL);
        host = transport.allocate(MemoryKind.HOST, 0, Math.max(info().length(), model.batchBytes() +
            sums.length() + ids.length() + weights.length()), Access.LOCAL);
        final List<List<MemoryRegion>> all = reach(regions, meeting);
        final List<StepPeer> peers = new ArrayList<>();
        all.forEach((reached) -> peers.add(StepPeer.near(reached.get(0), null)));
        session = kernels.steps().open(model.shape(rank), peers, null);
        dispatch = session.compile(StepProgram.DISPATCH);
        combine = session.compile(StepProgram.COMBINE);
        for (int peer = 0; peer < model.ranks(); peer++)
        {
            final List<MemoryRegion> reached = all.get(peer);
            session.output(peer, ROWS, new StepOutput(reached.get(1), reached.get(2)));
            session.answers(peer, ROWS, reached.get(1));
            session.answers(peer, CONSTANT, reached.get(3));
        }

        // Nobody stores a word before all have told theirs where it goes.
        meeting.gather(rank, ByteBuffer.allocate(0));
    }

    private MemoryRegion allocate(final long bytes, final Access access)
    {
        return transport.allocate(MemoryKind.CUDA, device.ordinal(), bytes, access);
    }

    /** Regions of all ranks, as this one reaches them. */
    private List<List<MemoryRegion>> reach(final List<MemoryRegion> own, final FileMeeting meeting)
    {
        final Worker worker = transport.openWorker(0);
        final List<List<MemoryRegion>> all = new ArrayList<>();
        for (int peer = 0; peer < model.ranks(); peer++)
        {
            all.add(new ArrayList<>());
        }

        for (final MemoryRegion region : own)
        {
            final List<ByteBuffer> descriptors = meeting.gather(rank, region.descriptor());
            for (int peer = 0; peer < model.ranks(); peer++)
            {
                all.get(peer).add(
                    peer == rank ? region : worker.importRegion(peer, descriptors.get(peer)).window());
            }
        }

        return all;
    }

    private ByteBuffer view(final MemoryRegion region)
    {
        return region.hostView(0, (int)region.length()).order(ByteOrder.nativeOrder());
    }

    /** Copy tokens, selections and weights of a round to the device, behind what the stream was given. */
    void fill(final int round)
    {
        final ByteBuffer to = view(host);
        for (final short element : model.x(round, rank))
        {
            to.putShort(element);
        }

        final int idsAt = to.position();
        for (int layer = 0; layer < model.layers(); layer++)
        {
            to.asIntBuffer().put(model.ids(round, rank, layer));
            to.position(to.position() + model.selections() * Integer.BYTES);
        }

        final int weightsAt = to.position();
        for (int layer = 0; layer < model.layers(); layer++)
        {
            to.asFloatBuffer().put(model.weights(round, rank, layer));
            to.position(to.position() + model.selections() * Float.BYTES);
        }

        copy(x.address(), host.address(), x.length());
        copy(ids.address(), host.address() + idsAt, ids.length());
        copy(weights.address(), host.address() + weightsAt, weights.length());
    }

    private void copy(final long target, final long source, final long bytes)
    {
        require("a copy", stream.copyUnmarked(target, source, bytes));
    }

    private void require(final String what, final int error)
    {
        if (0 != error)
        {
            throw new IllegalStateException("rank " + rank + ": " + what + " ended with CUDA error " + error);
        }
    }

    /** Until the stream has done all that it was given. */
    void await()
    {
        final long value = stream.mark();
        require("the stream", value < 0 ? (int)value : stream.await(value, TIMEOUT_NS));
    }

    /** Submit the dispatch of a layer; FP8 casts its rows. */
    long dispatch(final int layer, final boolean isFp8)
    {
        final boolean isFirst = 0 == layer;
        arguments.x(isFirst ? x : sums, isFirst ? 0 : (long)(layer - 1) * model.batchBytes(), model.tokens(),
                model.hidden())
            .ids(ids, (long)layer * model.selections() * Integer.BYTES, Integer.BYTES, model.topk(), model.experts());
        if (isFp8)
        {
            arguments.fp8(ROWS, StepPlacement.DIRECT, ScaleFormat.AMAX, StepScales.ROWS);
        }
        else
        {
            arguments.bf16(ROWS, StepPlacement.DIRECT);
        }

        return submit(dispatch);
    }

    /** Submit the combine of a layer, of answers by their number. */
    long combine(final int layer, final int answers)
    {
        arguments.answers(answers, weights, (long)layer * model.selections() * Float.BYTES)
            .combined(sums, (long)layer * model.batchBytes());
        return submit(combine);
    }

    private long submit(final StepProgram program)
    {
        long position = session.submit(queue, program, arguments);
        while (StepSession.BACK_PRESSURED == position)
        {
            session.progress();
            Thread.onSpinWait();
            position = session.submit(queue, program, arguments);
        }

        return position;
    }

    /** Until a step has ended, as its status says. */
    void await(final long position)
    {
        while (session.completedPosition() < position)
        {
            session.progress();
            Thread.onSpinWait();
        }
    }

    long completedPosition()
    {
        session.progress();
        return session.completedPosition();
    }

    StepStatus status()
    {
        return session.status();
    }

    private MemoryRegion info()
    {
        return output.info();
    }

    /**
     * Hold the sums of all layers to what the host makes of the round.
     *
     * @return elements that are wrong.
     */
    int wrongSums(final int round)
    {
        copy(host.address(), sums.address(), sums.length());
        await();
        final ByteBuffer seen = view(host);
        int wrong = 0;
        short[] tokens = model.x(round, rank);
        for (int layer = 0; layer < model.layers(); layer++)
        {
            final short[] expected = new short[tokens.length];
            model.apply(tokens, model.weights(round, rank, layer), expected);
            for (final short element : expected)
            {
                wrong += element == seen.getShort() ? 0 : 1;
            }

            tokens = expected;
        }

        return wrong;
    }

    /**
     * Hold what the dispatch of the first layer left in the output to what all ranks have sent: counts, and the token
     * of each row.
     *
     * @return rows and counts that are wrong.
     */
    int wrongRows(final int round)
    {
        copy(host.address(), info().address(), info().length());
        await();
        final ByteBuffer seen = view(host);
        final int local = model.shape(rank).localExperts();
        final int rows = model.shape(rank).expertRows();
        final int[] count = new int[local];
        int wrong = 0;
        for (int source = 0; source < model.ranks(); source++)
        {
            final int[] selected = model.ids(round, source, 0);
            for (int at = 0; at < selected.length; at++)
            {
                if (selected[at] / local == rank)
                {
                    final int expert = selected[at] % local;
                    final int place = expert * rows + count[expert];
                    wrong += at / model.topk() == seen.getInt(place * Integer.BYTES) ? 0 : 1;
                    count[expert]++;
                }
            }
        }

        final int counts = (int)StepOutput.countOffset(model.places(), local * model.ranks());
        for (int expert = 0; expert < local; expert++)
        {
            wrong += count[expert] == seen.getInt(counts + expert * Integer.BYTES) ? 0 : 1;
        }

        return wrong;
    }

    /** From now on combines say which answers they leave out, and dispatches find NaN in all of the output. */
    void expectLosses()
    {
        leftOut = allocate(model.selections(), Access.LOCAL);
        arguments.leftOut(leftOut, 0);
        nan = transport.allocate(MemoryKind.HOST, 0, output.rows().length(), Access.LOCAL);
        final ByteBuffer bytes = view(nan);
        while (bytes.hasRemaining())
        {
            bytes.put(NAN_BYTE);
        }
    }

    /** NaN in all rows of the output, ahead of the next dispatch: nobody stores there before that gives starts. */
    void spoilOutput()
    {
        copy(output.rows().address(), nan.address(), nan.length());
    }

    /** Ranks that take part. */
    boolean[] active()
    {
        final boolean[] active = new boolean[model.ranks()];
        for (int other = 0; other < active.length; other++)
        {
            active[other] = session.status().isActive(other);
        }

        return active;
    }

    /** Hold ranges and tokens of a dispatch of the first layer to what those have sent that took part; rows wrong. */
    int wrongRows(final int round, final boolean[] active)
    {
        copy(host.address(), info().address(), info().length());
        await();
        final ByteBuffer seen = view(host);
        final int local = model.shape(rank).localExperts();
        final int rows = model.shape(rank).expertRows();
        final int ranges = (int)StepOutput.layoutRangeOffset(model.places());
        int wrong = 0;
        for (int source = 0; source < model.ranks(); source++)
        {
            final int[] count = new int[local];
            final int[] selected = model.ids(round, source, 0);
            for (int at = 0; at < selected.length && active[source]; at++)
            {
                final int expert = selected[at] % local;
                if (selected[at] / local == rank)
                {
                    final int first = (int)(seen.getLong(ranges + (expert * model.ranks() + source) * Long.BYTES) >>>
                        Integer.SIZE);
                    wrong += at / model.topk() ==
                        seen.getInt((expert * rows + first + count[expert]) * Integer.BYTES) ? 0 : 1;
                    count[expert]++;
                }
            }

            for (int expert = 0; expert < local; expert++)
            {
                wrong += count[expert] ==
                    (int)seen.getLong(ranges + (expert * model.ranks() + source) * Long.BYTES) ? 0 : 1;
            }
        }

        return wrong;
    }

    /** As {@link #wrongSums(int)} of one layer, where the answers of ranks that take part no more may be left out. */
    int wrongSums(final int round, final boolean[] active)
    {
        copy(host.address(), sums.address(), sums.length());
        copy(host.address() + sums.length(), leftOut.address(), leftOut.length());
        await();
        final ByteBuffer seen = view(host);
        final float[] weights = model.weights(round, rank, 0);
        final int[] ids = model.ids(round, rank, 0);
        int wrong = 0;
        for (int at = 0; at < weights.length; at++)
        {
            if (0 != seen.get((int)sums.length() + at))
            {
                // A product with 0 leaves a sum that began with +0 as it is.
                weights[at] = 0;
                wrong += active[ids[at] / model.shape(rank).localExperts()] ? 1 : 0;
            }
        }

        final short[] expected = new short[model.tokens() * model.hidden()];
        model.apply(model.x(round, rank), weights, expected);
        for (final short element : expected)
        {
            wrong += element == seen.getShort() ? 0 : 1;
        }

        return wrong;
    }

    CudaDevice device()
    {
        return device;
    }

    @Override
    public void close()
    {
        session.close();
        kernels.close();
        stream.close();
        transport.close();
    }
}
