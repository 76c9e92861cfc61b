/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.base;

import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SecureDirectoryStream;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.UserPrincipal;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Directory that is kept open by a handle. Entries are checked, opened and deleted relative to the handle, and symbolic
 * links are never followed. In directories that every user may write to, such as {@code /tmp}, another process can
 * replace the directory at a path between two uses of the path. A handle always refers to the same directory.
 */
public final class HeldDirectory implements Closeable
{
    private static final Logger LOG = LoggerFactory.getLogger(HeldDirectory.class);
    private static final Path OWNER_FILE = Path.of(PrivateDirectory.OWNER_FILE);
    private static final UserPrincipal USER = user();

    private final SecureDirectoryStream<Path> stream;
    private final UserPrincipal user;

    HeldDirectory(final SecureDirectoryStream<Path> stream, final UserPrincipal user)
    {
        this.stream = stream;
        this.user = user;
    }

    /**
     * Opens a directory.
     *
     * @param directory path of the directory; it may contain symbolic links.
     * @return open handle; the caller must close it.
     * @throws IOException if the directory cannot be opened or the file system does not support handles.
     */
    public static HeldDirectory open(final Path directory) throws IOException
    {
        final DirectoryStream<Path> stream = Files.newDirectoryStream(directory);
        if (stream instanceof SecureDirectoryStream<Path> secure)
        {
            return new HeldDirectory(secure, USER);
        }

        stream.close();
        throw new IOException(directory + " is left alone: its file system has no handles of directories");
    }

    /**
     * Deletes a directory with all its contents. This process or its launcher must have created the directory.
     *
     * @param directory directory to delete, which need not exist.
     * @throws IOException if a part of the directory still exists.
     */
    public static void delete(final Path directory) throws IOException
    {
        try (HeldDirectory parent = open(directory.toAbsolutePath().getParent()))
        {
            parent.delete(directory.getFileName(), parent.attributes(directory.getFileName()));
        }
        catch (final NoSuchFileException ex)
        {
            LOG.debug("{} is gone already", directory);
        }
    }

    /**
     * Lists the names of entries that begin with a prefix. This method may be called only once.
     *
     * @param prefix prefix of the names to list.
     * @return names that begin with the prefix.
     * @throws IOException if the directory cannot be read.
     */
    public List<Path> names(final String prefix) throws IOException
    {
        final List<Path> names = new ArrayList<>();
        try
        {
            for (final Path entry : stream)
            {
                if (entry.getFileName().toString().startsWith(prefix))
                {
                    names.add(entry.getFileName());
                }
            }
        }
        catch (final DirectoryIteratorException ex)
        {
            throw ex.getCause();
        }

        return names;
    }

    /**
     * Deletes a subdirectory with all its contents if the user of this process owns the subdirectory.
     *
     * @param name name of the subdirectory.
     * @return true if this user owned the subdirectory and it was deleted.
     * @throws IOException if a part of the subdirectory still exists.
     */
    public boolean deleteOwn(final Path name) throws IOException
    {
        try (HeldDirectory directory = openOwn(name))
        {
            if (null == directory)
            {
                return false;
            }

            directory.deleteEntries();
        }

        deleteEmpty(name);
        return true;
    }

    /**
     * Hold a directory in this one.
     *
     * @param name name of the directory.
     * @return handle, or null if there is none, or it belongs to another user.
     * @throws IOException if it cannot be opened.
     */
    HeldDirectory openOwn(final Path name) throws IOException
    {
        try
        {
            // Looked at first, since to open a pipe waits for its writer; and again, since it may be another one now.
            if (!isOwn(attributes(name)))
            {
                return null;
            }

            final HeldDirectory directory = child(name);
            if (directory.isOwn())
            {
                return directory;
            }

            directory.close();
            return null;
        }
        catch (final NoSuchFileException ex)
        {
            return null;
        }
    }

    /**
     * Open a regular file in this directory, to lock it. Nothing waits, whatever takes its place meanwhile: a pipe
     * that is opened for reading and writing has both ends.
     */
    FileChannel openFile(final String name) throws IOException
    {
        final Path file = Path.of(name);
        if (!attributes(file).isRegularFile())
        {
            throw new IOException(name + " is not a regular file");
        }

        return (FileChannel)stream.newByteChannel(file,
            Set.of(StandardOpenOption.READ, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS));
    }

    /** Of the directory itself. */
    PosixFileAttributes attributes() throws IOException
    {
        return stream.getFileAttributeView(PosixFileAttributeView.class).readAttributes();
    }

    void deleteEmpty(final Path name) throws IOException
    {
        try
        {
            stream.deleteDirectory(name);
        }
        catch (final NoSuchFileException ex)
        {
            LOG.debug("{} is gone already", name);
        }
    }

    /** Goes on where an entry cannot be deleted; the owner file stays then, so that the next sweep tries again. */
    void deleteEntries() throws IOException
    {
        IOException failure = null;
        for (final Path name : names(""))
        {
            try
            {
                if (!OWNER_FILE.equals(name))
                {
                    delete(name, attributes(name));
                }
            }
            catch (final NoSuchFileException ex)
            {
                LOG.debug("{} is gone already", name);
            }
            catch (final IOException ex)
            {
                failure = ex;
            }
        }

        if (null != failure)
        {
            throw failure;
        }

        try
        {
            delete(OWNER_FILE, attributes(OWNER_FILE));
        }
        catch (final NoSuchFileException ex)
        {
            LOG.debug("nobody locks a file in this directory");
        }
    }

    @Override
    public void close() throws IOException
    {
        stream.close();
    }

    private void delete(final Path name, final BasicFileAttributes attributes) throws IOException
    {
        if (!attributes.isDirectory())
        {
            stream.deleteFile(name);
            return;
        }

        try (HeldDirectory directory = child(name))
        {
            directory.deleteEntries();
        }

        deleteEmpty(name);
    }

    private HeldDirectory child(final Path name) throws IOException
    {
        return new HeldDirectory(stream.newDirectoryStream(name, LinkOption.NOFOLLOW_LINKS), user);
    }

    private PosixFileAttributes attributes(final Path name) throws IOException
    {
        return stream.getFileAttributeView(name, PosixFileAttributeView.class, LinkOption.NOFOLLOW_LINKS)
            .readAttributes();
    }

    private boolean isOwn()
    {
        try
        {
            return isOwn(attributes());
        }
        catch (final IOException ex)
        {
            LOG.debug("a directory that is open tells nothing of itself: {}", ex.toString());
            return false;
        }
    }

    private boolean isOwn(final PosixFileAttributes attributes)
    {
        return attributes.isDirectory() && attributes.owner().equals(user);
    }

    /** Effective user, or null where the system does not tell: then no directory counts as this user's. */
    private static UserPrincipal user()
    {
        try
        {
            return Files.getOwner(Path.of("/proc/self"));
        }
        catch (final IOException | UnsupportedOperationException ex)
        {
            LOG.debug("the user of this process is unknown: what dead processes left stays", ex);
            return null;
        }
    }
}
