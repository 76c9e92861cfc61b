/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.examples.decode;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Where ranks that are processes of one host tell each other how to reach them: each leaves files in a folder. */
final class FileMeeting
{
    private static final long DEADLINE_NS = TimeUnit.SECONDS.toNanos(120);
    private static final long PAUSE_NS = TimeUnit.MICROSECONDS.toNanos(100);

    private final Path folder;
    private final int ranks;
    private int times;

    FileMeeting(final Path folder, final int ranks)
    {
        this.folder = folder;
        this.ranks = ranks;
    }

    /**
     * Tell all ranks, and learn what they tell.
     *
     * @param rank that tells.
     * @param own  what it tells, from position to limit.
     * @return by rank.
     */
    List<ByteBuffer> gather(final int rank, final ByteBuffer own)
    {
        times++;
        try
        {
            final byte[] bytes = new byte[own.remaining()];
            own.get(own.position(), bytes);
            final Path part = folder.resolve(name(rank) + ".part");
            Files.write(part, bytes);
            Files.move(part, folder.resolve(name(rank)), StandardCopyOption.ATOMIC_MOVE);
            final List<ByteBuffer> all = new ArrayList<>();
            for (int other = 0; other < ranks; other++)
            {
                all.add(ByteBuffer.wrap(read(other)).order(ByteOrder.nativeOrder()));
            }

            return all;
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }
    }

    private String name(final int rank)
    {
        return times + "-" + rank;
    }

    private byte[] read(final int rank) throws IOException
    {
        final Path file = folder.resolve(name(rank));
        final long deadlineNs = System.nanoTime() + DEADLINE_NS;
        while (!Files.exists(file))
        {
            if (System.nanoTime() - deadlineNs > 0)
            {
                throw new IllegalStateException("rank " + rank + " did not come to meeting " + times);
            }

            LockSupport.parkNanos(PAUSE_NS);
        }

        return Files.readAllBytes(file);
    }
}
