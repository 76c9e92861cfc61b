/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.kernels.host;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reference vectors, which an independent program made. */
final class Safetensors
{
    private final String name;
    private final String header;
    private final byte[] data;

    private Safetensors(final String name, final String header, final byte[] data)
    {
        this.name = name;
        this.header = header;
        this.data = data;
    }

    static Safetensors load(final String name)
    {
        try (InputStream in = Safetensors.class.getResourceAsStream("/vectors/" + name + ".safetensors"))
        {
            final byte[] file = in.readAllBytes();
            final int headerLength =
                Math.toIntExact(ByteBuffer.wrap(file).order(ByteOrder.LITTLE_ENDIAN).getLong(0));
            final int dataAt = Long.BYTES + headerLength;

            return new Safetensors(
                name, new String(file, Long.BYTES, headerLength, StandardCharsets.UTF_8),
                Arrays.copyOfRange(file, dataAt, file.length));
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }
    }

    byte[] tensor(final String tensor)
    {
        final Pattern entry = Pattern.compile(
            "\"" + tensor + "\": \\{[^}]*\"data_offsets\": \\[(\\d+), (\\d+)]");
        final Matcher matcher = entry.matcher(header);
        if (!matcher.find())
        {
            throw new IllegalArgumentException(name + " has no tensor " + tensor);
        }

        return Arrays.copyOfRange(data, Integer.parseInt(matcher.group(1)), Integer.parseInt(matcher.group(2)));
    }
}
