/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.tck;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Tensors of a reference file that the kit brings, in the safetensors layout: header length u64, JSON header with the
 * byte range of each tensor, then the bytes, all little-endian.
 */
final class Vectors
{
    private static final Pattern TENSOR = Pattern.compile(
        "\"(\\w+)\": \\{\"dtype\": \"(\\w+)\", \"shape\": \\[([\\d, ]*)], \"data_offsets\": \\[(\\d+), (\\d+)]");

    private final Map<String, Tensor> tensors = new TreeMap<>();

    /**
     * One tensor.
     *
     * @param shape dimensions.
     * @param bytes little-endian elements, row-major.
     */
    record Tensor(int[] shape, byte[] bytes)
    {
        /** Copies a run of bytes, counted in runs. */
        byte[] row(final int index, final int rowBytes)
        {
            return Arrays.copyOfRange(bytes, index * rowBytes, (index + 1) * rowBytes);
        }
    }

    private Vectors()
    {
    }

    static Vectors read(final String name)
    {
        final Vectors vectors = new Vectors();
        try (InputStream in = Vectors.class.getResourceAsStream("vectors/" + name + ".safetensors"))
        {
            final byte[] file = in.readAllBytes();
            final int headerLength = (int)ByteBuffer.wrap(file).order(ByteOrder.LITTLE_ENDIAN).getLong();
            final int base = Long.BYTES + headerLength;
            final Matcher header =
                TENSOR.matcher(new String(file, Long.BYTES, headerLength, StandardCharsets.UTF_8));
            while (header.find())
            {
                final int[] shape =
                    Stream.of(header.group(3).split(", *")).mapToInt(Integer::parseInt).toArray();
                vectors.tensors.put(header.group(1), new Tensor(shape, Arrays.copyOfRange(
                    file, base + Integer.parseInt(header.group(4)), base + Integer.parseInt(header.group(5)))));
            }
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }

        return vectors;
    }

    Tensor get(final String tensor)
    {
        final Tensor found = tensors.get(tensor);
        if (null == found)
        {
            throw new IllegalArgumentException("no tensor " + tensor + ": there are " + tensors.keySet());
        }

        return found;
    }
}
