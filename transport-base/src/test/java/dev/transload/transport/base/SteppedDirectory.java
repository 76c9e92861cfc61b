/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.base;

import java.io.IOException;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.SecureDirectoryStream;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.FileAttributeView;
import java.util.Iterator;
import java.util.Set;

/** A directory stream with somebody else who acts before a step: what a race would bring once in many tries. */
final class SteppedDirectory implements SecureDirectoryStream<Path>
{
    /** Steps between which others may act. */
    enum Step
    {
        OPEN_DIRECTORY, OPEN_FILE, DELETE_FILE, DELETE_DIRECTORY
    }

    /** Somebody else. */
    interface Other
    {
        void before(Step step, Path name) throws IOException;
    }

    private final SecureDirectoryStream<Path> stream;
    private final Other other;

    SteppedDirectory(final SecureDirectoryStream<Path> stream, final Other other)
    {
        this.stream = stream;
        this.other = other;
    }

    static HeldDirectory open(final Path directory, final Other other) throws IOException
    {
        return new HeldDirectory(
            new SteppedDirectory((SecureDirectoryStream<Path>)Files.newDirectoryStream(directory), other),
            Files.getOwner(directory));
    }

    @Override
    public SecureDirectoryStream<Path> newDirectoryStream(final Path path, final LinkOption... options)
        throws IOException
    {
        other.before(Step.OPEN_DIRECTORY, path);
        return new SteppedDirectory(stream.newDirectoryStream(path, options), other);
    }

    @Override
    public SeekableByteChannel newByteChannel(
        final Path path, final Set<? extends OpenOption> options, final FileAttribute<?>... attributes)
        throws IOException
    {
        other.before(Step.OPEN_FILE, path);
        return stream.newByteChannel(path, options, attributes);
    }

    @Override
    public void deleteFile(final Path path) throws IOException
    {
        other.before(Step.DELETE_FILE, path);
        stream.deleteFile(path);
    }

    @Override
    public void deleteDirectory(final Path path) throws IOException
    {
        other.before(Step.DELETE_DIRECTORY, path);
        stream.deleteDirectory(path);
    }

    @Override
    public void move(final Path source, final SecureDirectoryStream<Path> directory, final Path target)
        throws IOException
    {
        stream.move(source, directory, target);
    }

    @Override
    public <V extends FileAttributeView> V getFileAttributeView(final Class<V> type)
    {
        return stream.getFileAttributeView(type);
    }

    @Override
    public <V extends FileAttributeView> V getFileAttributeView(
        final Path path, final Class<V> type, final LinkOption... options)
    {
        return stream.getFileAttributeView(path, type, options);
    }

    @Override
    public Iterator<Path> iterator()
    {
        return stream.iterator();
    }

    @Override
    public void close() throws IOException
    {
        stream.close();
    }
}
