/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.launch;

import dev.transload.cli.outcome.CommandException;
import dev.transload.cli.outcome.ExitCodes;
import dev.transload.transport.base.ProcessStart;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A folder (mode 0700) for all files of a run, deleted with all that is in it. Its name tells its owner, so that a
 * later run can delete what a killed one left.
 */
public final class PrivateFolder implements AutoCloseable
{
    private static final Logger LOG = LoggerFactory.getLogger(PrivateFolder.class);
    private static final Pattern NAME = Pattern.compile("transload-run-(\\d+)-(\\d+)-.*");
    private static final long DELETE_NS = TimeUnit.SECONDS.toNanos(10);
    private static final long PAUSE_NS = TimeUnit.MILLISECONDS.toNanos(20);

    private final Path path;

    private PrivateFolder(final Path path)
    {
        this.path = path;
    }

    /**
     * Delete what dead runs left in a folder, then make one there.
     *
     * @param parent of it.
     * @return the folder.
     * @throws CommandException with exit code 3 when it cannot be made.
     */
    public static PrivateFolder create(final Path parent)
    {
        try
        {
            sweep(parent);
            final long own = ProcessHandle.current().pid();
            final String name = "transload-run-" + own + "-" + ProcessStart.of(own);
            return new PrivateFolder(Files.createTempDirectory(parent, name + "-",
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"))));
        }
        catch (final IOException ex)
        {
            throw new CommandException(ExitCodes.UNAVAILABLE, "no folder can be made in " + parent + " (" +
                ex.getMessage() + "): make it writable, or choose another one by java.io.tmpdir", ex);
        }
    }

    /**
     * Where it is.
     *
     * @return path.
     */
    public Path path()
    {
        return path;
    }

    @Override
    public void close()
    {
        delete(path);
    }

    /**
     * Delete a folder with all that is in it. Others may be deleting it too, or still writing: then again, for a while.
     *
     * @param folder to delete.
     */
    public static void delete(final Path folder)
    {
        final long begin = System.nanoTime();
        while (Files.exists(folder) && System.nanoTime() - begin < DELETE_NS)
        {
            try
            {
                Files.walkFileTree(folder, new Deletion());
            }
            catch (final IOException ex)
            {
                LOG.debug("{} is not deleted yet", folder, ex);
                LockSupport.parkNanos(PAUSE_NS);
            }
        }
    }

    private static void sweep(final Path parent) throws IOException
    {
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(parent, "transload-run-*"))
        {
            for (final Path entry : entries)
            {
                final Matcher name = NAME.matcher(entry.getFileName().toString());
                if (name.matches() && !isAlive(Long.parseLong(name.group(1)), Long.parseLong(name.group(2))))
                {
                    delete(entry);
                }
            }
        }
    }

    /** Process numbers are used again: the start tells one life from another. */
    private static boolean isAlive(final long pid, final long start)
    {
        return ProcessHandle.of(pid).isPresent() && ProcessStart.of(pid) == start;
    }

    /** Deletes files before their folder. */
    private static final class Deletion extends SimpleFileVisitor<Path>
    {
        @Override
        public FileVisitResult visitFile(final Path file, final BasicFileAttributes attributes) throws IOException
        {
            Files.deleteIfExists(file);
            return FileVisitResult.CONTINUE;
        }

        @Override
        public FileVisitResult visitFileFailed(final Path file, final IOException cause) throws IOException
        {
            if (cause instanceof NoSuchFileException)
            {
                return FileVisitResult.CONTINUE;
            }

            throw cause;
        }

        @Override
        public FileVisitResult postVisitDirectory(final Path folder, final IOException cause) throws IOException
        {
            Files.deleteIfExists(folder);
            return FileVisitResult.CONTINUE;
        }
    }
}
