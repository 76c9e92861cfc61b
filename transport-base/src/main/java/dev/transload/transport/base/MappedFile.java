/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.base;

import dev.transload.spi.ConfigOption;
import dev.transload.spi.TransportConfig;
import dev.transload.spi.TransportUnavailableException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.agrona.BufferUtil;
import org.agrona.IoUtil;
import org.agrona.UnsafeApi;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * File that several processes map. The pages of the file are allocated and mapped into this process before the first
 * use.
 */
public final class MappedFile implements SharedMemory
{
    /** Largest length of a file in bytes: the limit of {@link FileChannel#map}, rounded down to whole pages. */
    public static final long MAX_LENGTH = Integer.MAX_VALUE & -4096L;

    /** Option for the directory of mapped files. Each transport creates a private subdirectory there. */
    public static final ConfigOption DIRECTORY = new ConfigOption("region-directory", "/dev/shm",
        "a directory of a file system in memory",
        "Directory for the memory files that peers on the same host map. Each transport creates a private directory " +
        "in it.");

    private static final Logger LOG = LoggerFactory.getLogger(MappedFile.class);
    private static final int RESERVE_LENGTH = 256 << 10;
    private static final int PAGE = 4096;
    private static final int MAX_PATH_LENGTH = 160;
    private static final long UNKNOWN = -1;

    // Held as long as the address is used: the collector unmaps a buffer that nobody refers to.
    private final MappedByteBuffer buffer;
    private final long address;
    private final Path file;

    private MappedFile(final Path file, final MappedByteBuffer buffer)
    {
        this.file = file;
        this.buffer = buffer;
        this.address = BufferUtil.address(buffer);
        touch(address, buffer.capacity());
    }

    /**
     * Returns the directory configured with {@link #DIRECTORY}.
     *
     * @param config    configuration of the transport.
     * @param transport name of the transport, for the error message.
     * @return absolute path.
     * @throws dev.transload.spi.ConfigurationException if the value is not a path or is too long.
     */
    public static Path directoryIn(final TransportConfig config, final String transport)
    {
        final String text = config.text(DIRECTORY);
        // Paths travel in addresses and descriptors, whose length the SPI bounds.
        if (text.isBlank() || text.length() > MAX_PATH_LENGTH || text.indexOf('\0') >= 0)
        {
            throw DIRECTORY.refuse(transport, text);
        }

        return Path.of(text).toAbsolutePath().normalize();
    }

    /**
     * Creates and maps a zeroed file that only this user may read and write. The file must not exist. This method first
     * checks the free space in the directory, and the available memory with {@link AvailableMemory} (rule MEM-9).
     *
     * @param transport name of the calling transport, for error messages.
     * @param file      file to create.
     * @param length    length in bytes, at most {@link #MAX_LENGTH}.
     * @return the mapped file.
     * @throws TransportUnavailableException if the directory has too little space, the machine has too little memory,
     *                                       or the file cannot be created.
     */
    public static MappedFile create(final String transport, final Path file, final long length)
    {
        final Path folder = file.getParent();
        final long free = free(folder);
        if (UNKNOWN != free && length > free)
        {
            throw noRoom(transport, folder, length, free, null);
        }

        AvailableMemory.require(transport, length);
        try
        {
            Files.createFile(file, PrivateDirectory.mode("rw-------"));
        }
        catch (final IOException ex)
        {
            throw notMade(transport, file, length, ex);
        }

        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE))
        {
            // Written, not truncated to size: a page that tmpfs cannot give is an error here and a signal later.
            reserve(channel, length);
            return new MappedFile(file, channel.map(FileChannel.MapMode.READ_WRITE, 0, length));
        }
        catch (final IOException ex)
        {
            // Others may have taken the room meanwhile.
            final long left = free(folder);
            delete(file);
            throw UNKNOWN != left && left < RESERVE_LENGTH ? noRoom(transport, folder, length, free(folder), ex) :
                notMade(transport, file, length, ex);
        }
    }

    /**
     * Maps a file of a peer. The file may have any name.
     *
     * @param file   file to map.
     * @param length number of bytes that the file must have.
     * @param owner  identity of the file's owner.
     * @return the mapped file.
     * @throws TransportUnavailableException if the file cannot be mapped.
     */
    public static MappedFile open(final Path file, final long length, final PeerIdentity owner)
    {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE))
        {
            if (channel.size() != length)
            {
                throw new IOException("it has " + channel.size() + " bytes instead of " + length);
            }

            return new MappedFile(null, channel.map(FileChannel.MapMode.READ_WRITE, 0, length));
        }
        catch (final IOException ex)
        {
            throw new TransportUnavailableException("transport " + owner.transport() + " cannot map " + file + " of " +
                owner.describe() + " (" + ex + "): the region is closed, the rank is gone, or its files belong to " +
                "another user", ex);
        }
    }

    @Override
    public long address()
    {
        return address;
    }

    @Override
    public ByteBuffer view(final long offset, final int length)
    {
        return buffer.slice((int)offset, length).order(ByteOrder.nativeOrder());
    }

    @Override
    public void free()
    {
        IoUtil.unmap(buffer);
        abandon();
    }

    /** Deletes the file. The garbage collector unmaps the memory when this object is no longer referenced. */
    @Override
    public void abandon()
    {
        if (null != file)
        {
            delete(file);
        }
    }

    private static void reserve(final FileChannel channel, final long length) throws IOException
    {
        final ByteBuffer zeros = ByteBuffer.allocateDirect(RESERVE_LENGTH);
        try
        {
            long position = 0;
            while (position < length)
            {
                zeros.position(0).limit((int)Math.min(RESERVE_LENGTH, length - position));
                position += channel.write(zeros, position);
            }
        }
        finally
        {
            BufferUtil.free(zeros);
        }
    }

    private static void touch(final long address, final long length)
    {
        // An add of nothing maps the page for writing and disturbs no peer that already uses it.
        for (long offset = 0; offset < length; offset += PAGE)
        {
            UnsafeApi.getAndAddLong(null, address + offset, 0L);
        }
    }

    /** Asks for no {@link java.nio.file.FileStore}, which has none for the root of a plain chroot: it is no mount. */
    private static long free(final Path folder)
    {
        final long free = folder.toFile().getUsableSpace();
        return 0 == free && !Files.isDirectory(folder) ? UNKNOWN : free;
    }

    private static TransportUnavailableException noRoom(
        final String transport, final Path folder, final long length, final long free, final IOException cause)
    {
        return new TransportUnavailableException("transport " + transport + ": " + length +
            " bytes were asked for in " + folder + ", " + free + " are free" +
            (null == cause ? "" : " (" + cause.getMessage() + ")") +
            ": use smaller or fewer regions, or enlarge it (a container's --shm-size), or set " +
            key(transport) + " to a larger one", cause);
    }

    private static TransportUnavailableException notMade(
        final String transport, final Path file, final long length, final IOException cause)
    {
        return new TransportUnavailableException("transport " + transport + " cannot make " + file + " of " + length +
            " bytes (" + cause + "): the folder is not this user's, was deleted, or allows no more; " +
            key(transport) + " names another one", cause);
    }

    private static String key(final String transport)
    {
        return "transload." + transport + "." + DIRECTORY.key();
    }

    private static void delete(final Path file)
    {
        try
        {
            Files.deleteIfExists(file);
        }
        catch (final IOException ex)
        {
            LOG.debug("{} cannot be deleted", file, ex);
        }
    }
}
