/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.benchmarks;

import dev.transload.spi.Channel;
import dev.transload.spi.MemoryRegion;
import dev.transload.spi.RowList;
import java.util.Arrays;
import java.util.Random;
import org.agrona.UnsafeApi;

/** Rows in random order, put to the other rank or copied by this one within memory of the same kind. */
final class RowCopies
{
    private static final int CHUNK = 512;

    private final OperationRank rank;
    private final MemoryRegion source;
    private final MemoryRegion target;
    private final RowList rows;
    private final int length;
    private final int count;

    /**
     * Prepare.
     *
     * @param rank   that puts.
     * @param source of the rows.
     * @param target of copies, of the same size.
     * @param length of a row in bytes.
     */
    RowCopies(final OperationRank rank, final MemoryRegion source, final MemoryRegion target, final int length)
    {
        this.rank = rank;
        this.source = source;
        this.target = target;
        this.length = length;
        this.count = (int)(source.length() / length);
        this.rows = rank.transport().allocateRows(count).rowLength(length).finalPlaces(true);
        final int[] order = new int[count];
        Arrays.setAll(order, (i) -> i);
        final Random random = new Random(1);
        for (int i = count - 1; i > 0; i--)
        {
            final int other = random.nextInt(i + 1);
            final int row = order[i];
            order[i] = order[other];
            order[other] = row;
        }

        for (int i = 0; i < count; i++)
        {
            rows.set(i, (long)order[i] * length, (long)i * length);
        }
    }

    int count()
    {
        return count;
    }

    void copy()
    {
        for (int i = 0; i < count; i++)
        {
            UnsafeApi.copyMemory(source.address() + rows.srcOffset(i), target.address() + rows.dstOffset(i), length);
        }
    }

    void put()
    {
        final Channel channel = rank.channel();
        int done = 0;
        while (done < count)
        {
            final long before = channel.position();
            final long result =
                channel.putRows(source, rank.remote(), rows, done, Math.min(CHUNK - done % CHUNK, count - done));
            if (result < 0)
            {
                rank.progress();
            }
            else
            {
                done += (int)(result - before);
            }
        }

        rank.flush();
    }
}
