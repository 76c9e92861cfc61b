/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.base;

import dev.transload.spi.TransportUnavailableException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Directory with mode 0700 that belongs to one transport. The directory contains an owner file that the transport keeps
 * locked. If another process finds the file unlocked, the transport has ended, and the process that found the file
 * deletes the directory. Directories of other users are never deleted.
 */
public final class PrivateDirectory implements AutoCloseable
{
    /** Name of the locked owner file. */
    public static final String OWNER_FILE = "owner";

    private static final Logger LOG = LoggerFactory.getLogger(PrivateDirectory.class);
    private static final String PREFIX = "transload-";
    private static final String UNFINISHED_PREFIX = PREFIX + "new-";
    /** Folders of whole runs, which have no owner file: the launcher that makes them sweeps them. */
    private static final String RUN_PREFIX = PREFIX + "run-";
    private static final long UNFINISHED_AGE_SECONDS = 60;
    private static final boolean POSIX = FileSystems.getDefault().supportedFileAttributeViews().contains("posix");

    /** Directories of this process: opening their owner files and closing them again would lose our own locks. */
    private static final Set<Path> OWN = ConcurrentHashMap.newKeySet();

    private final Path path;
    private final FileChannel owner;
    private final FileLock lock;

    static
    {
        Runtime.getRuntime().addShutdownHook(
            new Thread(() -> OWN.forEach(PrivateDirectory::delete), "transload-base-clean-up"));
    }

    private PrivateDirectory(final Path path, final FileChannel owner, final FileLock lock)
    {
        this.path = path;
        this.owner = owner;
        this.lock = lock;
    }

    /**
     * Deletes directories whose owners have ended, then creates a directory for this transport.
     *
     * @param transport name of the calling transport, for error messages.
     * @param base      parent directory.
     * @param name      name of the directory, without the prefix {@code transload-}.
     * @param option    key of the option that sets the parent directory, for error messages.
     * @return new directory.
     * @throws TransportUnavailableException if the directory cannot be created.
     */
    public static PrivateDirectory create(
        final String transport, final Path base, final String name, final String option)
    {
        try
        {
            Files.createDirectories(base);
            sweep(base);
            // Made and locked under another name: a directory with the final name is never seen without its lock.
            final Path unfinished = Files.createTempDirectory(base, UNFINISHED_PREFIX, mode("rwx------"));
            final Path file = unfinished.resolve(OWNER_FILE);
            Files.createFile(file, mode("rw-------"));
            final FileChannel owner = FileChannel.open(file, StandardOpenOption.WRITE);
            final FileLock lock = owner.lock();
            owner.write(ByteBuffer.wrap(
                (ProcessHandle.current().pid() + System.lineSeparator()).getBytes(StandardCharsets.US_ASCII)));
            final Path path = base.resolve(PREFIX + name);
            OWN.add(path.toAbsolutePath());
            Files.move(unfinished, path);
            return new PrivateDirectory(path, owner, lock);
        }
        catch (final IOException ex)
        {
            throw new TransportUnavailableException("transport " + transport + " cannot make a private directory in " +
                base + " (" + ex + "): set transload." + transport + "." + option +
                " to a directory that can be written", ex);
        }
    }

    static FileAttribute<?>[] mode(final String permissions)
    {
        return POSIX ? new FileAttribute<?>[]{
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(permissions))} :
            new FileAttribute<?>[0];
    }

    /**
     * Returns the path of the directory.
     *
     * @return path, absolute if the parent directory was given as an absolute path.
     */
    public Path path()
    {
        return path;
    }

    /**
     * Deletes this user's directories under a parent directory if their owners have ended.
     *
     * @param base parent directory of the private directories.
     */
    public static void sweep(final Path base)
    {
        try (HeldDirectory held = HeldDirectory.open(base))
        {
            for (final Path name : held.names(PREFIX))
            {
                deleteIfOrphaned(held, base, name);
            }
        }
        catch (final IOException ex)
        {
            LOG.debug("{} was not swept: {}", base, ex.toString());
        }
    }

    /**
     * Delete a directory of this class when its owner is gone.
     *
     * @param path path of the directory.
     * @return whether it was deleted.
     */
    static boolean deleteIfOrphaned(final Path path)
    {
        final Path base = path.toAbsolutePath().getParent();
        if (null == base)
        {
            return false;
        }

        try (HeldDirectory held = HeldDirectory.open(base))
        {
            return deleteIfOrphaned(held, base, path.getFileName());
        }
        catch (final IOException ex)
        {
            LOG.debug("{} is left alone: {}", path, ex.toString());
            return false;
        }
    }

    private static boolean deleteIfOrphaned(final HeldDirectory held, final Path base, final Path name)
    {
        final String text = name.toString();
        if (OWN.contains(base.resolve(name).toAbsolutePath()) ||
            !text.startsWith(PREFIX) || text.startsWith(RUN_PREFIX))
        {
            return false;
        }

        try (HeldDirectory directory = held.openOwn(name))
        {
            if (null == directory || text.startsWith(UNFINISHED_PREFIX) && !isOld(directory) ||
                !deleteEntriesIfUnlocked(directory))
            {
                return false;
            }

            held.deleteEmpty(name);
            LOG.info("deleted {}, which a dead process had left", base.resolve(name));
            return true;
        }
        catch (final IOException | OverlappingFileLockException ex)
        {
            // The latter where another rank of this process is about to delete it.
            LOG.debug("{} is left alone: {}", base.resolve(name), ex.toString());
            return false;
        }
    }

    /** Whether the directory, if empty, can go. */
    private static boolean deleteEntriesIfUnlocked(final HeldDirectory directory) throws IOException
    {
        try (FileChannel channel = directory.openFile(OWNER_FILE); FileLock free = channel.tryLock())
        {
            if (null != free)
            {
                directory.deleteEntries();
            }

            return null != free;
        }
        catch (final NoSuchFileException ex)
        {
            // Empty when a clean-up was cut short, or when someone has just made it to put directories into.
            return isOld(directory);
        }
    }

    /**
     * Returns why this process cannot use the directory of a peer.
     *
     * @param directory private directory of a peer on this host.
     * @return null if the directory can be used, otherwise a clause with the reason.
     */
    public static String obstacle(final String directory)
    {
        final Path file = Path.of(directory, OWNER_FILE);
        return Files.isReadable(file) && Files.isWritable(file) ? null :
            "its region directory " + directory + " cannot be opened here";
    }

    /** Deletes the directory with all its contents. */
    @Override
    public void close()
    {
        delete(path);
        OWN.remove(path.toAbsolutePath());
        try
        {
            lock.close();
            owner.close();
        }
        catch (final IOException ex)
        {
            LOG.debug("lock of {} was not released", path, ex);
        }
    }

    private static boolean isOld(final HeldDirectory directory) throws IOException
    {
        return directory.attributes().lastModifiedTime().toInstant()
            .isBefore(Instant.now().minusSeconds(UNFINISHED_AGE_SECONDS));
    }

    private static void delete(final Path path)
    {
        try
        {
            HeldDirectory.delete(path);
        }
        catch (final IOException ex)
        {
            LOG.debug("{} cannot be deleted: {}", path, ex.toString());
        }
    }
}
