/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.tck;

import dev.transload.spi.Channel;
import dev.transload.spi.RowList;
import dev.transload.spi.Worker;
import java.util.concurrent.TimeUnit;

/** A loop of operations that itself allocates nothing. */
final class HotPath
{
    static final int ROUNDS = 5_000;

    private static final int ROWS = 4;
    private static final int ROW_LENGTH = 64;
    private static final long DEADLINE_NS = TimeUnit.SECONDS.toNanos(60);

    private final Lane lane;
    private final RowList rows;
    private final Worker sending;
    private final Worker receiving;

    HotPath(final Lane lane)
    {
        this.lane = lane;
        this.sending = lane.world.worker(lane.from);
        this.receiving = lane.world.worker(lane.to);
        this.rows = lane.world.transport(lane.from).allocateRows(ROWS).rowLength(ROW_LENGTH);
        for (int i = 0; i < ROWS; i++)
        {
            rows.set(i, (long)i * ROW_LENGTH, (long)(ROWS - i) * ROW_LENGTH);
        }
    }

    /** Each round puts, puts rows, fences, adds and signals; some flush. */
    void run(final int rounds)
    {
        final long deadline = System.nanoTime() + DEADLINE_NS;
        final Channel channel = lane.channel;
        for (int round = 0; round < rounds; round++)
        {
            check(deadline);
            move();
            while (pressed(channel.put(lane.source, 0, lane.remote, 1024, ROW_LENGTH)))
            {
                check(deadline);
            }

            int done = 0;
            while (done < ROWS)
            {
                final long before = channel.position();
                final long result = channel.putRows(lane.source, lane.remote, rows, done, ROWS - done);
                done += pressed(result) ? 0 : (int)(result - before);
                check(deadline);
            }

            while (pressed(channel.fence()))
            {
                check(deadline);
            }

            while (pressed(channel.atomicAdd(lane.remoteSignals, 0, 1)))
            {
                check(deadline);
            }

            while (pressed(channel.signal(lane.remoteSignals, 0, 1)))
            {
                check(deadline);
            }

            if (0 == (round & 15))
            {
                while (pressed(channel.flush()))
                {
                    check(deadline);
                }
            }
        }
    }

    private boolean pressed(final long result)
    {
        if (result >= 0)
        {
            return false;
        }

        move();
        return true;
    }

    private void move()
    {
        sending.progress();
        receiving.progress();
        lane.world.fixture().pump();
    }

    private void check(final long deadline)
    {
        if (System.nanoTime() - deadline > 0)
        {
            throw new AssertionError("the channel of rank " + lane.from + " to " + lane.to +
                " is stalled at position " + lane.channel.position());
        }
    }
}
