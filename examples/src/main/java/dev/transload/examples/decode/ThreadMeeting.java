/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.examples.decode;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Ranks that are threads of this process. */
final class ThreadMeeting implements Meeting
{
    private static final long DEADLINE_S = 120;

    private final ByteBuffer[] told;
    private final CyclicBarrier barrier;

    ThreadMeeting(final int ranks)
    {
        told = new ByteBuffer[ranks];
        barrier = new CyclicBarrier(ranks);
    }

    @Override
    public List<ByteBuffer> gather(final int rank, final ByteBuffer own)
    {
        told[rank] = own;
        await();
        final List<ByteBuffer> all = new ArrayList<>();
        for (final ByteBuffer one : told)
        {
            all.add(one.duplicate().order(one.order()));
        }

        await();
        return all;
    }

    private void await()
    {
        try
        {
            barrier.await(DEADLINE_S, TimeUnit.SECONDS);
        }
        catch (final InterruptedException | BrokenBarrierException | TimeoutException ex)
        {
            throw new IllegalStateException("a rank did not come to the meeting", ex);
        }
    }
}
