/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.lowlatency;

import dev.transload.engine.BadInputException;
import dev.transload.engine.CallFailedException;
import dev.transload.engine.CallFailedException.Reason;
import org.agrona.concurrent.IdleStrategy;
import org.agrona.concurrent.NanoClock;

/** The calls of an engine, one after the other: each begins, and is driven until it is done. */
final class Calls
{
    private final LowLatencyParts parts;
    private final LowLatencyDispatchResult[] dispatches = new LowLatencyDispatchResult[Shape.LANES];
    private final LowLatencyCombineResult[] combines = new LowLatencyCombineResult[Shape.LANES];
    private final LowLatencyChecks checks;
    private final NanoClock clock;
    private final IdleStrategy idle;
    private long calls;
    private CallFailedException failure;
    private boolean isClosed;

    Calls(final LowLatencyParts parts, final NanoClock clock, final IdleStrategy idle)
    {
        this.parts = parts;
        this.clock = clock;
        this.idle = idle;
        this.checks = new LowLatencyChecks(parts.config(), parts.shape(), parts.shared());
        for (int set = 0; set < Shape.LANES; set++)
        {
            dispatches[set] = new LowLatencyDispatchResult(this, parts.exchange(set));
            combines[set] = new LowLatencyCombineResult(this, parts.exchange(set));
        }
    }

    int rank()
    {
        return parts.world().rank();
    }

    LowLatencyDispatchResult begin(final LowLatencyDispatchRequest request)
    {
        requireAlive();
        final LowLatencyDispatchResult result = dispatches[(int)((calls + 1) % Shape.LANES)];
        if (Exchange.Phase.FREE != result.exchange().phase())
        {
            throw new IllegalStateException("dispatch " + (calls + 1) + " is one too many: the result of dispatch " +
                result.call() + " is still alive, and two at most may be; receive its combine or close it first");
        }

        checks.dispatch(request);
        final Exchange other = dispatches[(int)(calls % Shape.LANES)].exchange();
        if (Exchange.Phase.FREE != other.phase() && other.request().output().x() == request.output().x())
        {
            throw new BadInputException("output is that of dispatch " + other.call() +
                ", which is still alive: must be another one");
        }

        final long timeoutNs = checks.timeoutNs(request.timeout());
        calls++;
        result.exchange().dispatch(request, calls, timeoutNs);
        return result;
    }

    void receive(final LowLatencyDispatchResult result)
    {
        if (beginReceive(result))
        {
            drive(result.exchange());
        }
    }

    boolean beginReceive(final LowLatencyDispatchResult result)
    {
        requireAlive();
        final boolean isSent = Exchange.Phase.SENT == result.exchange().phase();
        if (isSent)
        {
            result.exchange().receive();
        }

        return isSent;
    }

    LowLatencyCombineResult begin(final LowLatencyCombineRequest request)
    {
        requireAlive();
        final LowLatencyDispatchResult dispatch = request.dispatch();
        if (null == dispatch || dispatches[dispatch.exchange().index()] != dispatch ||
            Exchange.Phase.RECEIVED != dispatch.exchange().phase() &&
            !(parts.choice().isByDevice() && Exchange.Phase.SENT == dispatch.exchange().phase()))
        {
            throw new BadInputException("dispatch is " + (null == dispatch ? null : dispatch.exchange().phase()) +
                ": must be a result of this engine that was received and not combined yet");
        }

        checks.combine(request, dispatch.exchange().request());
        dispatch.exchange().combine(request, checks.timeoutNs(request.timeout()));
        return combines[dispatch.exchange().index()];
    }

    void receive(final LowLatencyCombineResult result)
    {
        if (beginReceive(result))
        {
            drive(result.exchange());
        }
    }

    boolean beginReceive(final LowLatencyCombineResult result)
    {
        requireAlive();
        final boolean isSent = Exchange.Phase.ANSWERED == result.exchange().phase();
        if (isSent)
        {
            result.exchange().receiveAnswers();
        }

        return isSent;
    }

    void release(final LowLatencyDispatchResult result)
    {
        if (isClosed || null != failure || Exchange.Phase.FREE == result.exchange().phase())
        {
            return;
        }

        receive(result);
        if (Exchange.Phase.RECEIVED == result.exchange().phase())
        {
            beginRelease(result);
        }
        else
        {
            receive(combines[result.exchange().index()]);
        }
    }

    void detach(final LowLatencyDispatchResult result)
    {
        if (isClosed || null != failure || !parts.choice().isByDevice())
        {
            release(result);
        }
        else
        {
            result.exchange().detach();
        }
    }

    void beginRelease(final LowLatencyDispatchResult result)
    {
        result.exchange().release();
    }

    /** One step of whatever is under way. */
    int doWork(final Exchange exchange)
    {
        try
        {
            final Exchange other = parts.exchange(1 - exchange.index());
            return parts.progress() + exchange.doWork(clock) +
                other.progress(clock.nanoTime(), exchange.timeoutNs());
        }
        catch (final CallFailedException ex)
        {
            failure = ex;
            throw ex;
        }
        catch (final RuntimeException ex)
        {
            failure = new CallFailedException(Reason.INTERNAL, rank(), "low-latency call failed on rank " +
                rank() + ": " + ex.getMessage(), ex);
            throw failure;
        }
    }

    void drive(final Exchange exchange)
    {
        idle.reset();
        while (exchange.isUnderWay())
        {
            final int work = doWork(exchange);
            if (exchange.isUnderWay())
            {
                idle.idle(work);
            }
        }
    }

    void requireAlive()
    {
        if (isClosed)
        {
            throw new CallFailedException(Reason.RETIRED, -1, "the low-latency engine is closed", null);
        }

        if (null != failure)
        {
            throw new CallFailedException(
                Reason.RETIRED, failure.peer(), "an earlier call failed: " + failure.getMessage(), failure);
        }

        parts.requireSound();
    }

    void requireNoneAlive(final int rank)
    {
        requireAlive();
        for (final LowLatencyDispatchResult result : dispatches)
        {
            if (Exchange.Phase.FREE != result.exchange().phase())
            {
                throw new IllegalStateException("rank " + rank + " cannot be cleared: the result of dispatch " +
                    result.call() + " is still alive");
            }
        }
    }

    /** Calls are refused from now on; false if they were already. */
    boolean close()
    {
        final boolean wasClosed = isClosed;
        isClosed = true;
        return !wasClosed;
    }
}
