/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.tensor;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Map;

/**
 * Writes one file: all tensors are declared first, then their elements follow in that order, in pieces of any size.
 * The file appears under its name only when it is complete.
 */
public final class SafetensorsWriter implements AutoCloseable
{
    private static final ObjectMapper JSON = new ObjectMapper();

    /** The format asks for a header of whole words; blanks fill it. */
    private static final int HEADER_ALIGNMENT = 8;

    private final Path file;
    private final Path partial;
    private final FileChannel channel;
    private long remaining;

    /**
     * Begin a file.
     *
     * @param file     to write; an older one is replaced at the end.
     * @param metadata free texts by key.
     * @param tensors  in the order of their elements.
     * @throws IOException when the file cannot be written.
     */
    public SafetensorsWriter(final Path file, final Map<String, String> metadata, final List<TensorInfo> tensors)
        throws IOException
    {
        this.file = file;
        this.partial = file.resolveSibling(file.getFileName() + ".part");

        final ObjectNode header = JSON.createObjectNode();
        if (!metadata.isEmpty())
        {
            final ObjectNode texts = header.putObject(SafetensorsReader.METADATA);
            metadata.forEach(texts::put);
        }

        for (final TensorInfo tensor : tensors)
        {
            final ObjectNode entry = header.putObject(tensor.name());
            entry.put("dtype", tensor.kind().name());
            tensor.shape().forEach(entry.putArray("shape")::add);
            entry.putArray("data_offsets").add(remaining).add(remaining + tensor.bytes());
            remaining += tensor.bytes();
        }

        final byte[] json = JSON.writeValueAsBytes(header);
        final int padded = (json.length + HEADER_ALIGNMENT - 1) / HEADER_ALIGNMENT * HEADER_ALIGNMENT;
        final ByteBuffer start = ByteBuffer.allocate(Long.BYTES + padded).order(ByteOrder.LITTLE_ENDIAN);
        start.putLong(padded).put(json);
        while (start.hasRemaining())
        {
            start.put((byte)' ');
        }

        this.channel = FileChannel.open(partial, StandardOpenOption.CREATE, StandardOpenOption.WRITE,
            StandardOpenOption.TRUNCATE_EXISTING);
        writeFully(start.flip());
    }

    /**
     * Append elements.
     *
     * @param elements little-endian bytes between position and limit, consumed.
     * @throws IOException when the file cannot be written.
     */
    public void write(final ByteBuffer elements) throws IOException
    {
        if (elements.remaining() > remaining)
        {
            throw new IllegalStateException(
                elements.remaining() + " bytes for " + file + ", only " + remaining + " are declared");
        }

        remaining -= elements.remaining();
        writeFully(elements);
    }

    /**
     * Put the complete file in place.
     *
     * @throws IOException when it cannot be.
     */
    public void finish() throws IOException
    {
        if (0 != remaining)
        {
            throw new IllegalStateException(remaining + " bytes declared for " + file + " were not written");
        }

        channel.close();
        Files.move(partial, file, StandardCopyOption.REPLACE_EXISTING);
    }

    /** Drops what is not finished. Idempotent. */
    @Override
    public void close() throws IOException
    {
        channel.close();
        Files.deleteIfExists(partial);
    }

    private void writeFully(final ByteBuffer bytes) throws IOException
    {
        while (bytes.hasRemaining())
        {
            channel.write(bytes);
        }
    }
}
