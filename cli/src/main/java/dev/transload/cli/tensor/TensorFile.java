/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.tensor;

import dev.transload.cli.outcome.CommandException;
import dev.transload.cli.outcome.ExitCodes;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The tensors of one rank's run, collected and then written as one file. */
public final class TensorFile
{
    private final List<TensorInfo> infos = new ArrayList<>();
    private final List<Content> contents = new ArrayList<>();

    /** Writes the elements of one tensor. */
    @FunctionalInterface
    public interface Content
    {
        /**
         * Write them.
         *
         * @param writer of the file.
         * @throws IOException when it cannot.
         */
        void write(SafetensorsWriter writer) throws IOException;
    }

    /** Add a tensor. */
    public void add(final TensorInfo info, final Content content)
    {
        infos.add(info);
        contents.add(content);
    }

    /** Add I32 values. */
    public void addInts(final String name, final int[] values, final long... sizes)
    {
        add(TensorInfo.of(name, ElementKind.I32, sizes), (writer) ->
        {
            final ByteBuffer bytes = buffer(values.length * Integer.BYTES);
            bytes.asIntBuffer().put(values);
            writer.write(bytes);
        });
    }

    /** Add I64 values. */
    public void addLongs(final String name, final long[] values, final long... sizes)
    {
        add(TensorInfo.of(name, ElementKind.I64, sizes), (writer) ->
        {
            final ByteBuffer bytes = buffer(values.length * Long.BYTES);
            bytes.asLongBuffer().put(values);
            writer.write(bytes);
        });
    }

    /**
     * Write the file.
     *
     * @param directory made where there is none.
     * @param rank      in the file's name.
     * @param metadata  of the file.
     * @throws CommandException with exit code 3 when it cannot be written.
     */
    public void write(final Path directory, final int rank, final Map<String, String> metadata)
    {
        final Path file = directory.resolve(String.format("rank-%04d.safetensors", rank));
        try
        {
            Files.createDirectories(directory);
            try (SafetensorsWriter writer = new SafetensorsWriter(file, metadata, infos))
            {
                for (final Content content : contents)
                {
                    content.write(writer);
                }

                writer.finish();
            }
        }
        catch (final IOException ex)
        {
            throw new CommandException(ExitCodes.UNAVAILABLE, "--output " + directory + ": " + file.getFileName() +
                " cannot be written: " + ex.getMessage(), ex);
        }
    }

    private static ByteBuffer buffer(final int bytes)
    {
        return ByteBuffer.allocate(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }
}
