/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.launch;

import dev.transload.cli.outcome.CommandException;
import dev.transload.cli.outcome.ExitCodes;
import dev.transload.transport.base.HeldDirectory;
import dev.transload.transport.base.ProcessStart;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A folder (mode 0700) for all files of a run, deleted with all that is in it. Its name tells its owner, so that a
 * later run of the same user can delete what a killed one left.
 */
public final class PrivateFolder implements AutoCloseable
{
    private static final Logger LOG = LoggerFactory.getLogger(PrivateFolder.class);
    private static final String PREFIX = "transload-run-";
    /** With process and its start; longer numbers are not ours, and none of a long. */
    private static final Pattern NAME = Pattern.compile(PREFIX + "(\\d{1,18})-(\\d{1,18})-.*");
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
            final String name = PREFIX + own + "-" + ProcessStart.of(own);
            return new PrivateFolder(Files.createTempDirectory(parent, name + "-",
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"))));
        }
        catch (final IOException ex)
        {
            throw new CommandException(ExitCodes.UNAVAILABLE, "no folder can be made in " + parent + " (" +
                ex.getMessage() + "): make it writable, or choose another one by java.io.tmpdir", ex);
        }
    }

    /** Where it is. */
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
     */
    public static void delete(final Path folder)
    {
        final long begin = System.nanoTime();
        while (Files.exists(folder, LinkOption.NOFOLLOW_LINKS) && System.nanoTime() - begin < DELETE_NS)
        {
            try
            {
                HeldDirectory.delete(folder);
            }
            catch (final IOException ex)
            {
                LOG.debug("{} is not deleted yet: {}", folder, ex.toString());
                LockSupport.parkNanos(PAUSE_NS);
            }
        }
    }

    /** One attempt for each of this user's: what cannot be deleted costs no start any time. */
    private static void sweep(final Path parent)
    {
        try (HeldDirectory held = HeldDirectory.open(parent))
        {
            for (final Path entry : held.names(PREFIX))
            {
                final Matcher name = NAME.matcher(entry.toString());
                if (name.matches() && !isAlive(Long.parseLong(name.group(1)), Long.parseLong(name.group(2))))
                {
                    deleteOwn(held, entry);
                }
            }
        }
        catch (final IOException ex)
        {
            LOG.debug("{} was not swept: {}", parent, ex.toString());
        }
    }

    private static void deleteOwn(final HeldDirectory parent, final Path name)
    {
        try
        {
            parent.deleteOwn(name);
        }
        catch (final IOException ex)
        {
            LOG.debug("{} is not deleted: {}", name, ex.toString());
        }
    }

    /** Process numbers are used again: the start tells one life from another. */
    private static boolean isAlive(final long pid, final long start)
    {
        return ProcessHandle.of(pid).isPresent() && ProcessStart.of(pid) == start;
    }
}
