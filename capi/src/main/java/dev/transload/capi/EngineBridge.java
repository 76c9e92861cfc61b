/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.capi;

import dev.transload.engine.BadInputException;
import dev.transload.engine.CombineRequest;
import dev.transload.engine.DataType;
import dev.transload.engine.DispatchHandle;
import dev.transload.engine.DispatchOutput;
import dev.transload.engine.DispatchRequest;
import dev.transload.engine.Engine;
import dev.transload.engine.OutputLayout;
import dev.transload.engine.OutputShape;
import dev.transload.engine.Tensor;
import dev.transload.kernels.ForeignEvent;
import dev.transload.spi.MemoryKind;
import java.time.Duration;

/** An engine that the C library has opened, with the memory of the tensors that it gives out. */
final class EngineBridge
{
    private static final OutputLayout[] LAYOUTS = OutputLayout.values();

    private final Engine engine;
    private final MemoryPool payload;
    private final MemoryPool host;
    private final Registrations registrations;
    private final GivenOut given = new GivenOut();

    private EngineBridge(final Engine engine)
    {
        this.engine = engine;
        this.payload = new MemoryPool(engine::allocatePayload);
        this.host = engine.config().payloadKind().isHost() ? payload : new MemoryPool(engine::allocateHost);
        this.registrations = new Registrations(engine::registerLocal);
    }

    static EngineBridge open(final WorldBridge world, final String settings)
    {
        final Engine engine = Engine.open(world.settings(settings).engine(), world.context());
        engine.awaitReady();
        return new EngineBridge(engine);
    }

    int tensors()
    {
        return payload.leased() + (host == payload ? 0 : host.leased());
    }

    /** Most counts of a dispatch: rows of each local expert, and of each rank. */
    int mostCounts()
    {
        final int ranks = engine.world().size();
        return (engine.config().maxExperts() + ranks - 1) / ranks + ranks;
    }

    /** Writes a tensor as {@link GivenOut#give} does. */
    void allocate(final int type, final int rows, final int columns, final long address)
    {
        given.give(payload.lease(DataType.values()[type], rows, columns), new Fields(address));
    }

    /** Tensors that were deleted and handles that were closed, by {@code count} numbers at an address. */
    void giveBack(final long address, final int count)
    {
        given.takeBack(address, count);
    }

    /**
     * {@link #startDispatch} with a wait for its end and, where it has come, the result.
     *
     * @param waitMs at most; below 0 until the call ends.
     * @param result address, as of {@link CallBridge#result}.
     * @param counts address, as of {@link CallBridge#result}.
     * @return null where the result is there; a call that has not ended otherwise.
     * @throws RuntimeException if it failed; nothing is left of it then.
     */
    CallBridge dispatch(
        final EngineBridge owner, final long cached, final long address, final long waitMs, final long result,
        final long counts)
    {
        return finish(startDispatch(owner, cached, address), waitMs, result, counts);
    }

    /** As {@link #dispatch}, of a combine, which has no counts. */
    CallBridge combine(
        final EngineBridge owner, final long handle, final long address, final long waitMs, final long result)
    {
        return finish(startCombine(owner, handle, address), waitMs, result, 0);
    }

    private static CallBridge finish(final CallBridge call, final long waitMs, final long result, final long counts)
    {
        boolean isPending = false;
        try
        {
            isPending = !call.await(waitMs);
            if (!isPending)
            {
                call.result(result, counts);
            }
        }
        finally
        {
            if (!isPending)
            {
                call.drop();
            }
        }

        return isPending ? call : null;
    }

    private static DispatchHandle handle(final EngineBridge owner, final long number)
    {
        return null == owner ? null : owner.given.handle(number);
    }

    /**
     * Submit a dispatch.
     *
     * @param owner   engine of the handle of an earlier one, or null.
     * @param cached  number of that handle.
     * @param address of x, xScales, topkIdx, topkWeights as {@link Inputs#next} reads them; E; alignment, 0 as
     *                configured; layout, 0 as configured; rows of a worst-case sized output, or 0; timeout in ms, 0 as
     *                configured; events to wait for and to record, 0 for none.
     * @return call.
     */
    CallBridge startDispatch(final EngineBridge owner, final long cached, final long address)
    {
        final Inputs inputs = inputs();
        try
        {
            final Fields fields = new Fields(address);
            final Tensor x = inputs.next(fields);
            final Tensor scales = inputs.next(fields);
            final Tensor idx = inputs.next(fields);
            final Tensor weights = inputs.next(fields);
            final int experts = fields.nextInt();
            final int alignment = fields.nextInt();
            final int layout = fields.nextInt();
            final int worstRows = fields.nextInt();
            final Duration timeout = timeout(fields.next());
            final ForeignEvent waitFor = event(fields.next());
            final ForeignEvent recorded = event(fields.next());
            final DispatchRequest request =
                null == scales ? DispatchRequest.of(x) : DispatchRequest.of(x, scales);
            if (null != owner)
            {
                request.cached(handle(owner, cached));
            }
            else
            {
                request.topk(idx, weights, experts).expertAlignment(alignment)
                    .layout(0 == layout ? null : LAYOUTS[layout - 1]);
            }

            final CallBridge.OfDispatch call = new CallBridge.OfDispatch(inputs, given, null == owner, worstRows);
            final MemoryPool metadata = null == idx || idx.memory().kind().isHost() ? host : payload;
            request.allocator((shape) -> output(call, shape, worstRows, metadata)).timeout(timeout).waitFor(waitFor)
                .record(recorded);
            call.submitted(engine.dispatch(request));
            return call;
        }
        catch (final RuntimeException | Error ex)
        {
            inputs.close();
            throw ex;
        }
    }

    /** By a thread of the engine. */
    private DispatchOutput output(
        final CallBridge.OfDispatch call, final OutputShape shape, final int worstRows, final MemoryPool metadata)
    {
        if (worstRows > 0 && shape.rows() > worstRows)
        {
            throw new BadInputException("output of " + worstRows + " rows (worst case) is too small: " + shape.rows() +
                " rows come to rank " + engine.world().rank());
        }

        final int rows = Math.max(shape.rows(), worstRows);
        final boolean isFp8 = DataType.F8_E4M3 == shape.type();
        final boolean hasMetadata = shape.topk() > 0;
        call.output(
            payload.lease(shape.type(), rows, shape.hidden()),
            isFp8 ? payload.lease(DataType.F32, rows, shape.hidden() / CallBridge.SCALE_GROUP) : null,
            hasMetadata ? metadata.lease(DataType.I64, rows, shape.topk()) : null,
            hasMetadata ? metadata.lease(DataType.F32, rows, shape.topk()) : null,
            hasMetadata ? metadata.lease(DataType.I32, rows, 1) : null);
        return call.output();
    }

    /**
     * Submit a combine.
     *
     * @param owner   engine of the dispatch.
     * @param number  of its handle.
     * @param address of x, topkWeights, bias0, bias1, output as {@link Inputs#next} reads them; timeout in ms, 0 as
     *                configured; events to wait for and to record, 0 for none.
     * @return call.
     */
    CallBridge startCombine(final EngineBridge owner, final long number, final long address)
    {
        final Inputs inputs = inputs();
        final CallBridge.OfCombine call = new CallBridge.OfCombine(inputs, given);
        try
        {
            final Fields fields = new Fields(address);
            final Tensor x = inputs.nextShared(fields);
            final Tensor weights = inputs.next(fields);
            final Tensor bias0 = inputs.next(fields);
            final Tensor bias1 = inputs.next(fields);
            final Tensor given = inputs.nextWritten(fields);
            final Duration timeout = timeout(fields.next());
            final ForeignEvent waitFor = event(fields.next());
            final ForeignEvent recorded = event(fields.next());
            final DispatchHandle handle = handle(owner, number);
            if (null == handle || null == x)
            {
                throw new BadInputException((null == handle ? "handle" : "x") + " is NULL: a combine needs it");
            }

            final MemoryPool ofWeights = null == weights || weights.memory().kind().isHost() ? host : payload;
            final Tensor out = null != given ? given :
                call.rows(payload.lease(DataType.BF16, handle.tokens(), x.columns()));
            final Tensor outWeights = null == weights ? null :
                call.weights(ofWeights.lease(DataType.F32, handle.tokens(), weights.columns()));
            call.submitted(engine.combine(CombineRequest.of(handle, x).topkWeights(weights).biases(bias0, bias1)
                .output(out, outWeights).timeout(timeout).waitFor(waitFor).record(recorded)));
            return call;
        }
        catch (final RuntimeException | Error ex)
        {
            call.drop();
            throw ex;
        }
    }

    private Inputs inputs()
    {
        return new Inputs(engine::register, host, payload, this::known);
    }

    private Tensor known(
        final MemoryKind kind, final int device, final long address, final DataType type, final int rows,
        final int columns)
    {
        return kind.isHost() ? null : new Tensor(
            registrations.of(kind, device, address, (long)rows * columns * type.bytes()), 0, type, rows, columns);
    }

    static Duration timeout(final long milliseconds)
    {
        return 0 == milliseconds ? null : Duration.ofMillis(milliseconds);
    }

    private ForeignEvent event(final long handle)
    {
        return 0 == handle ? null :
            new ForeignEvent(engine.config().payloadKind(), engine.config().device(), handle);
    }

    void close()
    {
        engine.close();
    }
}
