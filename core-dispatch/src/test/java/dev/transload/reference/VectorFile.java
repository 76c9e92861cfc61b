/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.reference;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** The arithmetic's test vectors: a safetensors file among the test resources. */
public final class VectorFile
{
    private final JsonNode header;
    private final ByteBuffer data;

    private VectorFile(final JsonNode header, final ByteBuffer data)
    {
        this.header = header;
        this.data = data;
    }

    public static VectorFile open(final String name)
    {
        try (InputStream in = VectorFile.class.getResourceAsStream("/vectors/" + name))
        {
            final ByteBuffer file = ByteBuffer.wrap(in.readAllBytes()).order(ByteOrder.LITTLE_ENDIAN);
            final int headerLength = Math.toIntExact(file.getLong());
            final JsonNode header = new ObjectMapper().readTree(file.array(), Long.BYTES, headerLength);
            return new VectorFile(header, file.position(Long.BYTES + headerLength).slice());
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }
    }

    public int size(final String tensor, final int dimension)
    {
        return header.get(tensor).get("shape").get(dimension).asInt();
    }

    public byte[] bytes(final String tensor)
    {
        final JsonNode offsets = header.get(tensor).get("data_offsets");
        final byte[] bytes = new byte[offsets.get(1).asInt() - offsets.get(0).asInt()];
        data.get(offsets.get(0).asInt(), bytes);
        return bytes;
    }

    public short[] bf16(final String tensor)
    {
        final byte[] bytes = bytes(tensor);
        final short[] values = new short[bytes.length / Short.BYTES];
        ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).asShortBuffer().get(values);
        return values;
    }

    public float[] f32(final String tensor)
    {
        final byte[] bytes = bytes(tensor);
        final float[] values = new float[bytes.length / Float.BYTES];
        ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).asFloatBuffer().get(values);
        return values;
    }
}
