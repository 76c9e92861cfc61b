/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.tensor;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Name, type and shape of a tensor.
 *
 * @param name  in its file.
 * @param kind  of the elements.
 * @param shape sizes, outermost first; none is negative.
 */
public record TensorInfo(String name, ElementKind kind, List<Long> shape)
{
    /** Copies the shape. */
    public TensorInfo
    {
        shape = List.copyOf(shape);
    }

    /** With sizes given one by one. */
    public static TensorInfo of(final String name, final ElementKind kind, final long... sizes)
    {
        return new TensorInfo(name, kind, Arrays.stream(sizes).boxed().toList());
    }

    /**
     * Size of all elements.
     *
     * @return bytes.
     */
    public long bytes()
    {
        long bytes = kind.bytes();
        for (final long size : shape)
        {
            bytes = Math.multiplyExact(bytes, size);
        }

        return bytes;
    }

    /**
     * For messages.
     *
     * @return e.g. {@code BF16 [128, 2048]}.
     */
    public String describe()
    {
        return kind + " " + shape.stream().map(String::valueOf).collect(Collectors.joining(", ", "[", "]"));
    }
}
