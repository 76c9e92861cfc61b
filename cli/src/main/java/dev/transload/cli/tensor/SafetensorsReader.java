/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.tensor;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.transload.cli.outcome.CommandException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Reads one file by position. Every element must belong to exactly one tensor; all else is refused in one sentence. */
public final class SafetensorsReader implements AutoCloseable
{
    static final String METADATA = "__metadata__";

    /** The format's own limit. */
    private static final long MAX_HEADER_BYTES = 100_000_000;

    /** Of a tensor that is read as a whole: no JVM has longer arrays. */
    private static final int MAX_WHOLE_BYTES = Integer.MAX_VALUE - 8;

    private static final ObjectMapper JSON = JsonMapper.builder()
        .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
        .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
        .build();

    private final Path file;
    private final FileChannel channel;
    private final Map<String, TensorInfo> tensors = new LinkedHashMap<>();
    private final Map<String, Long> positions = new LinkedHashMap<>();
    private final Map<String, String> metadata = new LinkedHashMap<>();

    private SafetensorsReader(final Path file, final FileChannel channel)
    {
        this.file = file;
        this.channel = channel;
    }

    /**
     * Open a file and check its header.
     *
     * @param file to read.
     * @return reader to close.
     * @throws CommandException when it is missing, unreadable or ill-formed.
     */
    public static SafetensorsReader open(final Path file)
    {
        try
        {
            final SafetensorsReader reader =
                new SafetensorsReader(file, FileChannel.open(file, StandardOpenOption.READ));
            try
            {
                reader.readHeader();
                return reader;
            }
            catch (final IOException | RuntimeException ex)
            {
                reader.channel.close();
                throw ex;
            }
        }
        catch (final NoSuchFileException ex)
        {
            throw CommandException.badInput(file + ": there is no such file", ex);
        }
        catch (final IOException ex)
        {
            throw CommandException.badInput(file + ": cannot be read: " + ex.getMessage(), ex);
        }
    }

    /**
     * Tensors of the file.
     *
     * @return infos by name, in the order of the header.
     */
    public Map<String, TensorInfo> tensors()
    {
        return tensors;
    }

    /** Free texts of the file. */
    public Map<String, String> metadata()
    {
        return metadata;
    }

    /**
     * Read a part of a tensor.
     *
     * @param tensor     name.
     * @param byteOffset of the first byte within the tensor.
     * @param into       filled between position and limit, then flipped; its order becomes little-endian.
     */
    public void read(final String tensor, final long byteOffset, final ByteBuffer into)
    {
        if (byteOffset < 0 || byteOffset + into.remaining() > tensors.get(tensor).bytes())
        {
            throw new IndexOutOfBoundsException(into.remaining() + " bytes at " + byteOffset + " of " + tensor);
        }

        try
        {
            readFully(into, positions.get(tensor) + byteOffset);
        }
        catch (final IOException ex)
        {
            throw CommandException.badInput(file + ": cannot be read: " + ex.getMessage(), ex);
        }

        into.order(ByteOrder.LITTLE_ENDIAN).flip();
    }

    /**
     * Read a whole tensor.
     *
     * @param tensor name.
     * @return its bytes, little-endian.
     * @throws CommandException when the tensor is too large for that.
     */
    public ByteBuffer readAll(final String tensor)
    {
        final TensorInfo info = tensors.get(tensor);
        if (info.bytes() > MAX_WHOLE_BYTES)
        {
            throw refuse("tensor " + tensor + " of " + info.describe() + " has " + info.bytes() +
                " bytes, at most " + MAX_WHOLE_BYTES + " are allowed");
        }

        final ByteBuffer bytes = ByteBuffer.allocate((int)info.bytes());
        read(tensor, 0, bytes);
        return bytes;
    }

    @Override
    public void close()
    {
        try
        {
            channel.close();
        }
        catch (final IOException ex)
        {
            throw new IllegalStateException("closing " + file, ex);
        }
    }

    private void readHeader() throws IOException
    {
        final long size = channel.size();
        final ByteBuffer length = ByteBuffer.allocate(Long.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        if (size < Long.BYTES)
        {
            throw refuse("has " + size + " bytes, too few for a safetensors file");
        }

        readFully(length, 0);
        final long headerBytes = length.getLong(0);
        if (headerBytes < 2 || headerBytes > MAX_HEADER_BYTES || headerBytes > size - Long.BYTES)
        {
            throw refuse("its header of " + headerBytes + " bytes doesn't fit into a file of " + size + " bytes");
        }

        final ByteBuffer header = ByteBuffer.allocate((int)headerBytes);
        readFully(header, Long.BYTES);
        try
        {
            parseHeader(JSON.readTree(header.array()));
        }
        catch (final JsonProcessingException ex)
        {
            throw CommandException.badInput(
                file + ": its header is not JSON: " + ex.getOriginalMessage(), ex);
        }

        checkCoverage(size - Long.BYTES - headerBytes);
        positions.replaceAll((name, offset) -> offset + Long.BYTES + headerBytes);
    }

    private void parseHeader(final JsonNode header)
    {
        if (!header.isObject())
        {
            throw refuse("its header is not a JSON object");
        }

        header.properties().forEach((entry) ->
        {
            if (METADATA.equals(entry.getKey()))
            {
                entry.getValue().properties().forEach((text) -> metadata.put(text.getKey(), text.getValue().asText()));
            }
            else
            {
                parseTensor(entry.getKey(), entry.getValue());
            }
        });
    }

    private void parseTensor(final String name, final JsonNode entry)
    {
        final String type = entry.path("dtype").asText();
        final List<Long> shape = new ArrayList<>();
        entry.path("shape").forEach((size) -> shape.add(isWhole(size) ? size.asLong() : -1));
        final JsonNode offsets = entry.path("data_offsets");
        if (!entry.path("shape").isArray() || shape.stream().anyMatch((size) -> size < 0) || 2 != offsets.size() ||
            !isWhole(offsets.get(0)) || !isWhole(offsets.get(1)))
        {
            throw refuse("tensor " + name + " must have a shape and two data_offsets, all whole and not negative");
        }

        final TensorInfo tensor = new TensorInfo(name, kindOf(name, type), shape);
        final long length = offsets.get(1).asLong() - offsets.get(0).asLong();
        if (length != bytesOf(tensor))
        {
            throw refuse("tensor " + name + " takes " + length + " bytes, but " + tensor.describe() + " needs " +
                bytesOf(tensor));
        }

        tensors.put(name, tensor);
        positions.put(name, offsets.get(0).asLong());
    }

    private long bytesOf(final TensorInfo tensor)
    {
        try
        {
            return tensor.bytes();
        }
        catch (final ArithmeticException ex)
        {
            throw CommandException.badInput(
                file + ": tensor " + tensor.name() + " of " + tensor.describe() + " is larger than any file", ex);
        }
    }

    private ElementKind kindOf(final String tensor, final String type)
    {
        for (final ElementKind kind : ElementKind.values())
        {
            if (kind.name().equals(type))
            {
                return kind;
            }
        }

        throw refuse("tensor " + tensor + " has dtype " + type + ": must be one of " +
            List.of(ElementKind.values()));
    }

    /** No gap, no overlap, nothing behind the last tensor. */
    private void checkCoverage(final long dataBytes)
    {
        final List<TensorInfo> byOffset = new ArrayList<>(tensors.values());
        byOffset.sort(Comparator.<TensorInfo>comparingLong((tensor) -> positions.get(tensor.name()))
            .thenComparingLong(TensorInfo::bytes));
        long covered = 0;
        for (final TensorInfo tensor : byOffset)
        {
            if (positions.get(tensor.name()) != covered)
            {
                throw refuse("tensor " + tensor.name() + " begins at byte " + positions.get(tensor.name()) +
                    " of the data: must begin at " + covered + ", where the one before it ends");
            }

            covered += tensor.bytes();
        }

        if (covered != dataBytes)
        {
            throw refuse("its tensors take " + covered + " bytes, but " + dataBytes + " follow the header");
        }
    }

    private static boolean isWhole(final JsonNode node)
    {
        return node.isIntegralNumber() && node.canConvertToLong() && node.asLong() >= 0;
    }

    private CommandException refuse(final String what)
    {
        return CommandException.badInput(file + ": " + what);
    }

    private void readFully(final ByteBuffer into, final long position) throws IOException
    {
        long at = position;
        while (into.hasRemaining())
        {
            final int read = channel.read(into, at);
            if (read < 0)
            {
                throw new IOException("it ends after " + at + " bytes");
            }

            at += read;
        }
    }
}
