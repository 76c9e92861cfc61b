/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.tensor;

import static dev.transload.cli.Refusals.assertRefused;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.transload.cli.outcome.ExitCodes;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SafetensorsTest
{
    @TempDir
    private Path folder;
    private Path file;

    @BeforeEach
    void nameFile()
    {
        file = folder.resolve("rank-0000.safetensors");
    }

    @Test
    void shouldReadBackEveryTypeAsWritten() throws IOException
    {
        final List<TensorInfo> infos = new ArrayList<>();
        for (final ElementKind kind : ElementKind.values())
        {
            infos.add(TensorInfo.of(kind.name().toLowerCase(java.util.Locale.ROOT), kind, 3, 5));
        }

        infos.add(TensorInfo.of("empty", ElementKind.BF16, 0, 128));
        infos.add(TensorInfo.of("flat", ElementKind.I32, 7));
        try (SafetensorsWriter writer = new SafetensorsWriter(file, Map.of("num_experts", "60"), infos))
        {
            for (final TensorInfo info : infos)
            {
                writer.write(pattern(info));
            }

            writer.finish();
        }

        try (SafetensorsReader reader = SafetensorsReader.open(file))
        {
            assertEquals(infos, List.copyOf(reader.tensors().values()));
            assertEquals(Map.of("num_experts", "60"), reader.metadata());
            for (final TensorInfo info : infos)
            {
                assertEquals(pattern(info), reader.readAll(info.name()));
            }

            final ByteBuffer part = ByteBuffer.allocate(4);
            reader.read("flat", 8, part);
            assertEquals(pattern(infos.get(infos.size() - 1)).order(ByteOrder.LITTLE_ENDIAN).getInt(8), part.getInt());
        }

        assertEquals(List.of(file), Files.list(folder).toList());
    }

    @Test
    void shouldLeaveNothingBehindWhenUnfinished() throws IOException
    {
        try (SafetensorsWriter writer =
            new SafetensorsWriter(file, Map.of(), List.of(TensorInfo.of("x", ElementKind.I32, 2))))
        {
            writer.write(ByteBuffer.allocate(4));
            assertThrows(IllegalStateException.class, writer::finish);
            assertThrows(IllegalStateException.class, () -> writer.write(ByteBuffer.allocate(8)));
        }

        assertFalse(Files.list(folder).findAny().isPresent());
    }

    @Test
    void shouldRefuseIllFormedFiles() throws IOException
    {
        assertRefused(ExitCodes.BAD_INPUT, () -> SafetensorsReader.open(file), "no such file");
        refuse(new byte[]{ 1, 2 }, "2 bytes");
        refuse("{]", 0, "JSON");
        refuse("[1]", 0, "JSON object");
        refuse("{\"x\":{\"dtype\":\"F64\",\"shape\":[1],\"data_offsets\":[0,8]}}", 8, "F64");
        refuse("{\"x\":{\"dtype\":\"I32\",\"shape\":[2],\"data_offsets\":[0,4]}}", 4, "takes 4 bytes", "needs 8");
        refuse("{\"x\":{\"dtype\":\"I32\",\"shape\":[-1],\"data_offsets\":[0,4]}}", 4, "not negative");
        refuse("{\"x\":{\"dtype\":\"I32\",\"shape\":[1],\"data_offsets\":[4,8]}}", 8, "begins at byte 4");
        refuse("{\"x\":{\"dtype\":\"I32\",\"shape\":[1],\"data_offsets\":[0,4]}}", 5, "5 follow");
        refuse("{\"x\":{\"dtype\":\"I32\",\"shape\":[1],\"data_offsets\":[0,4]}}", 2, "2 follow");
        refuse("{\"x\":{\"dtype\":\"I32\",\"shape\":[4294967296,4294967296],\"data_offsets\":[0,4]}}", 4, "larger");
        refuse("{\"x\":{\"dtype\":\"I32\",\"shape\":[1],\"data_offsets\":[0,4]}," +
            "\"x\":{\"dtype\":\"I32\",\"shape\":[1],\"data_offsets\":[0,4]}}", 4, "x");
    }

    @Test
    void shouldRefuseToReadAsAWholeWhatNoArrayHolds() throws IOException
    {
        final byte[] json = "{\"x\":{\"dtype\":\"I32\",\"shape\":[600000000],\"data_offsets\":[0,2400000000]}}"
            .getBytes(StandardCharsets.UTF_8);
        Files.write(file, ByteBuffer.allocate(Long.BYTES + json.length).order(ByteOrder.LITTLE_ENDIAN)
            .putLong(json.length).put(json).array());
        try (RandomAccessFile sparse = new RandomAccessFile(file.toFile(), "rw"))
        {
            sparse.setLength(Long.BYTES + json.length + 2_400_000_000L);
        }

        try (SafetensorsReader reader = SafetensorsReader.open(file))
        {
            assertRefused(ExitCodes.BAD_INPUT, () -> reader.readAll("x"),
                "tensor x of I32 [600000000] has 2400000000 bytes, at most 2147483639 are allowed");
        }
    }

    private void refuse(final String header, final int dataBytes, final String... named) throws IOException
    {
        final byte[] json = header.getBytes(StandardCharsets.UTF_8);
        refuse(ByteBuffer.allocate(Long.BYTES + json.length + dataBytes).order(ByteOrder.LITTLE_ENDIAN)
            .putLong(json.length).put(json).array(), named);
    }

    private void refuse(final byte[] content, final String... named) throws IOException
    {
        Files.write(file, content);
        assertRefused(ExitCodes.BAD_INPUT, () -> SafetensorsReader.open(file), named);
    }

    private static ByteBuffer pattern(final TensorInfo info)
    {
        final byte[] bytes = new byte[(int)info.bytes()];
        for (int i = 0; i < bytes.length; i++)
        {
            bytes[i] = (byte)(ElementKind.BOOL == info.kind() ? i & 1 : i * 37 + info.kind().ordinal());
        }

        return ByteBuffer.wrap(bytes);
    }
}
