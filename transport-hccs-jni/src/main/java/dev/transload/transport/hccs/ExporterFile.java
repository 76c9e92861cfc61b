/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.hccs;

import dev.transload.spi.TransportUnavailableException;

import java.io.IOException;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.agrona.BufferUtil;
import org.agrona.UnsafeApi;

/**
 * The {@link ImporterList} of a peer as this process uses it: opened once for all its ranks, since the system drops the
 * locks of a process when that closes any file of the same name.
 */
final class ExporterFile
{
    private static final long TIMEOUT_NS = TimeUnit.SECONDS.toNanos(10);
    private static final long PAUSE_NS = TimeUnit.MICROSECONDS.toNanos(100);
    private static final Map<Path, ExporterFile> OPEN = new HashMap<>();

    private final Path path;
    private final FileChannel channel;
    private final MappedByteBuffer buffer;
    private final Map<Integer, Mark> marks = new HashMap<>();

    private static final class Mark
    {
        private final FileLock lock;
        private int users = 1;

        Mark(final FileLock lock)
        {
            this.lock = lock;
        }
    }

    private ExporterFile(final Path path, final FileChannel channel, final MappedByteBuffer buffer)
    {
        this.path = path;
        this.channel = channel;
        this.buffer = buffer;
    }

    /**
     * Say that this process imports a region; the first time, be listed by its exporter.
     *
     * @param directory of the exporter.
     * @param id        of the region.
     * @param number    of this process for whitelists.
     * @throws TransportUnavailableException if the exporter is gone or does not answer.
     */
    static synchronized void mark(final String directory, final int id, final int number)
    {
        final Path path = Path.of(directory, ImporterList.FILE);
        ExporterFile file = OPEN.get(path);
        try
        {
            if (null == file)
            {
                file = open(path, number);
                OPEN.put(path, file);
            }

            final Mark known = file.marks.get(id);
            if (null != known)
            {
                known.users++;
                return;
            }

            file.marks.put(id, new Mark(file.channel.lock(ImporterList.FIRST_LOCK + id, 1, true)));
        }
        catch (final IOException ex)
        {
            throw new TransportUnavailableException("transport hccs cannot use " + path +
                " of the rank that exports memory (" + ex + "): that rank is gone, or the two processes do not share " +
                "this directory", ex);
        }
    }

    /** End one import. */
    static synchronized void unmark(final String directory, final int id)
    {
        final Path path = Path.of(directory, ImporterList.FILE);
        final ExporterFile file = OPEN.get(path);
        final Mark known = null == file ? null : file.marks.get(id);
        if (null == known || 0 != --known.users)
        {
            return;
        }

        file.marks.remove(id);
        try
        {
            known.lock.release();
            if (file.marks.isEmpty())
            {
                OPEN.remove(path);
                file.channel.close();
            }
        }
        catch (final IOException ex)
        {
            throw new TransportUnavailableException("transport hccs cannot let go of " + path + " (" + ex + ")", ex);
        }
    }

    private static ExporterFile open(final Path path, final int number) throws IOException
    {
        final FileChannel channel = FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE);
        ExporterFile opened = null;
        try
        {
            final ExporterFile file = new ExporterFile(
                path, channel, channel.map(FileChannel.MapMode.READ_WRITE, 0, ImporterList.LENGTH));
            file.announce(number);
            opened = file;
            return file;
        }
        finally
        {
            if (null == opened)
            {
                channel.close();
            }
        }
    }

    private void announce(final int number)
    {
        final long address = BufferUtil.address(buffer);
        final long slot = UnsafeApi.getAndAddLong(null, address + ImporterList.ANNOUNCED, 1);
        if (slot >= ImporterList.CAPACITY)
        {
            throw new TransportUnavailableException("transport hccs: " + path + " lists " + ImporterList.CAPACITY +
                " importers already, which is the most", null);
        }

        UnsafeApi.putLongVolatile(null, address + ImporterList.NUMBERS + slot * Long.BYTES, number);
        final long deadlineNs = System.nanoTime() + TIMEOUT_NS;
        while (UnsafeApi.getLongVolatile(null, address + ImporterList.LISTED) <= slot)
        {
            if (System.nanoTime() - deadlineNs > 0)
            {
                throw new TransportUnavailableException("transport hccs: the rank of " + path +
                    " has not listed this process as an importer within 10 s: it is gone, or stopped", null);
            }

            LockSupport.parkNanos(PAUSE_NS);
        }
    }
}
