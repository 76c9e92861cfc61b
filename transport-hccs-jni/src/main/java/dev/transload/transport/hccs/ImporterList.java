/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.hccs;

import dev.transload.spi.TransportUnavailableException;
import dev.transload.transport.base.MappedFile;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.function.IntConsumer;
import org.agrona.UnsafeApi;

/**
 * Who imports memory of this rank: a file that other processes of the host map. They announce themselves by their
 * number for whitelists, and wait until they have been listed; and as long as a process imports a region it has a
 * shared lock on a byte of the file, which goes with the process however that ends. Layout: announced i64, listed i64,
 * then numbers, i64 each.
 */
final class ImporterList implements AutoCloseable
{
    /** Name of the file in the private directory. */
    static final String FILE = "importers";

    static final int LENGTH = 8192;
    static final int ANNOUNCED = 0;
    static final int LISTED = Long.BYTES;
    static final int NUMBERS = 2 * Long.BYTES;

    /** Processes that fit. */
    static final int CAPACITY = (LENGTH - NUMBERS) / Long.BYTES;

    /** Locks are on bytes behind the file, one a region. */
    static final long FIRST_LOCK = 1L << 32;

    private final Path path;
    private final MappedFile file;
    private final FileChannel locks;
    private long listed;

    ImporterList(final Path directory)
    {
        path = directory.resolve(FILE);
        file = MappedFile.create(HccsOptions.TRANSPORT, path, LENGTH);
        try
        {
            locks = FileChannel.open(path, StandardOpenOption.WRITE);
        }
        catch (final IOException ex)
        {
            file.free();
            throw new TransportUnavailableException("transport hccs cannot open " + path + " (" + ex + ")", ex);
        }
    }

    /**
     * Whether somebody has announced itself who is not listed yet; costs one look at memory.
     *
     * @return true if {@link #list} has something to do.
     */
    boolean hasNew()
    {
        return UnsafeApi.getLongVolatile(null, file.address() + ANNOUNCED) > listed;
    }

    /** List who has announced itself. */
    int list(final IntConsumer allow)
    {
        int count = 0;
        final long announced =
            Math.min(CAPACITY, UnsafeApi.getLongVolatile(null, file.address() + ANNOUNCED));
        while (listed < announced)
        {
            final long number =
                UnsafeApi.getLongVolatile(null, file.address() + NUMBERS + listed * Long.BYTES);
            if (0 == number)
            {
                break;
            }

            allow.accept((int)number);
            listed++;
            count++;
            UnsafeApi.putLongVolatile(null, file.address() + LISTED, listed);
        }

        return count;
    }

    /**
     * Whether another process imports a region.
     *
     * @param id of the region.
     * @return true as long as one does.
     */
    boolean isImported(final int id)
    {
        try (FileLock lock = locks.tryLock(FIRST_LOCK + id, 1, false))
        {
            return null == lock;
        }
        catch (final IOException ex)
        {
            throw new TransportUnavailableException("transport hccs cannot look at the locks of " + path + " (" + ex +
                ")", ex);
        }
    }

    @Override
    public void close()
    {
        try
        {
            locks.close();
        }
        catch (final IOException ex)
        {
            throw new TransportUnavailableException("transport hccs cannot close " + path + " (" + ex + ")", ex);
        }
        finally
        {
            file.free();
        }
    }
}
