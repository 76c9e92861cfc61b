/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.kernels.host;

import static org.junit.jupiter.api.Assumptions.abort;

import dev.transload.gate.Aarch64Program;
import dev.transload.kernels.ElementType;
import dev.transload.kernels.Fp8;
import dev.transload.kernels.RowTable;
import dev.transload.kernels.ScaleFormat;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.Channels;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.agrona.BufferUtil;
import org.agrona.UnsafeApi;

/**
 * The native library for aarch64 on another machine: each call is carried out by {@code call_kernels.c} under an
 * emulator, with copies of the rows. The layout of sums is that of {@link NativeKernels}.
 */
final class Aarch64Arithmetic implements RowArithmetic
{
    private static final String LIBRARY = "/native/linux-aarch64/lib" + NativeKernels.LIBRARY + ".so";
    private static final int SUM = 0;
    private static final int QUANTIZE = 1;
    private static final int DEQUANTIZE = 2;
    private static final int SCATTER = 3;
    private static final int SUM_BYTES = 24;
    private static final int ROW_BYTES = 16;
    private static final int ARGUMENTS = 7;
    private static final int HEADER_BYTES = (3 + ARGUMENTS) * Long.BYTES;
    private static final int LINE = 64;
    private static final int MEMORY_BYTES = 64 << 20;

    private static Aarch64Arithmetic only;

    private final OutputStream requests;
    private final DataInputStream answers;
    private final long memory;
    private final ByteBuffer image = ByteBuffer.allocateDirect(MEMORY_BYTES).order(ByteOrder.LITTLE_ENDIAN);
    private final ByteBuffer header = ByteBuffer.allocate(HEADER_BYTES).order(ByteOrder.LITTLE_ENDIAN);

    private Aarch64Arithmetic(final Process process) throws IOException
    {
        this.requests = process.getOutputStream();
        this.answers = new DataInputStream(process.getInputStream());
        this.memory = Long.reverseBytes(answers.readLong());
    }

    /** The process ends with this JVM; where there can be none, the test is skipped. */
    static synchronized Aarch64Arithmetic open()
    {
        if (null == only)
        {
            final String reason = Aarch64Program.unavailableBecause();
            if (null != reason)
            {
                abort("Kernels for aarch64 are not run: " + reason);
            }

            try (InputStream library = NativeKernels.class.getResourceAsStream(LIBRARY))
            {
                // Another JVM may do the same at this moment.
                final Path folder = Files.createTempDirectory("aarch64-kernels");
                final Path copy = folder.resolve("libkernels.so");
                Files.copy(library, copy);
                only = new Aarch64Arithmetic(Aarch64Program.compile(Path.of("src/test/c/call_kernels.c"), folder)
                    .command(List.of(copy.toString())).redirectError(Redirect.INHERIT).start());
                // All of it is mapped once the process has answered.
                Files.delete(copy);
                Files.delete(folder.resolve(Aarch64Program.NAME));
                Files.delete(folder);
            }
            catch (final IOException ex)
            {
                throw new UncheckedIOException(ex);
            }
            catch (final InterruptedException ex)
            {
                throw new AssertionError(ex);
            }
        }

        return only;
    }

    @Override
    public String name()
    {
        return "aarch64";
    }

    @Override
    public Object windowOf(final ByteBuffer view)
    {
        return view;
    }

    @Override
    public void reduce(
        final SourceRows sources, final RegionView target, final long targetOffset, final ElementType targetType,
        final int hidden)
    {
        final int count = sources.count();
        final int sum = begin(SUM_BYTES + count * ROW_BYTES);
        boolean hasF32 = ElementType.F32 == targetType;
        for (int row = 0; row < count; row++)
        {
            final boolean isF32 = ElementType.F32 == sources.typeOf(row);
            hasF32 |= isF32;
            final int entry = sum + SUM_BYTES + row * ROW_BYTES;
            image.putLong(entry, there(copyIn(sources.addressOf(row), hidden * sources.typeOf(row).bytes())))
                .putFloat(entry + 8, sources.weightOf(row))
                .putShort(entry + 12, (short)(sources.isWeighted(row) ? 1 : 0))
                .putShort(entry + 14, (short)(isF32 ? 1 : 0));
        }

        final long address = target.addressOf(targetOffset);
        final int bytes = hidden * targetType.bytes();
        final int result = place(address, bytes);
        image.putLong(sum, there(result)).putInt(sum + 8, hidden).putInt(sum + 12, count)
            .putInt(sum + 16, sources.rounded()).put(sum + 20, (byte)1)
            .put(sum + 21, (byte)(ElementType.F32 == targetType ? 1 : 0)).put(sum + 22, (byte)(hasF32 ? 1 : 0));
        call(SUM, result, bytes, there(sum), there(sum + SUM_BYTES + count * ROW_BYTES));
        copyOut(result, address, bytes);
    }

    @Override
    public void quantize(
        final RegionView src, final long srcOffset, final RegionView dst, final long dstOffset,
        final long scaleAddress, final int hidden, final ScaleFormat format)
    {
        begin(0);
        final int scaleBytes = Fp8.scales(hidden) * Float.BYTES;
        final int row = copyIn(src.addressOf(srcOffset), hidden * Bf16.BYTES);
        final int codes = place(dst.addressOf(dstOffset), hidden);
        final int scales = place(scaleAddress, scaleBytes);
        call(QUANTIZE, codes, scales + scaleBytes - codes, there(row), there(codes), there(scales), hidden,
            ScaleFormat.POWER_OF_TWO == format ? 1 : 0);
        copyOut(codes, dst.addressOf(dstOffset), hidden);
        copyOut(scales, scaleAddress, scaleBytes);
    }

    @Override
    public void dequantize(
        final RegionView src, final long srcOffset, final RegionView dst, final long dstOffset,
        final long scaleAddress, final int hidden)
    {
        begin(0);
        final int codes = copyIn(src.addressOf(srcOffset), hidden);
        final int scales = copyIn(scaleAddress, Fp8.scales(hidden) * Float.BYTES);
        final int row = place(dst.addressOf(dstOffset), hidden * Bf16.BYTES);
        call(DEQUANTIZE, row, hidden * Bf16.BYTES, there(codes), there(row), there(scales), hidden);
        copyOut(row, dst.addressOf(dstOffset), hidden * Bf16.BYTES);
    }

    /**
     * Copy each row of a table to its entries, all in one region.
     *
     * @param table  rows, of which the first is row 0, and their entries.
     * @param source rows that lie one behind the other.
     * @param length of a row.
     * @param bytes  of the target, which is zero before.
     * @return the target.
     */
    byte[] scatter(final RowTable table, final byte[] source, final int length, final int bytes)
    {
        begin(0);
        final int rows = copyIn(BufferUtil.address(table.memory()), table.memory().capacity());
        final int from = place(0, source.length);
        image.put(from, source);
        final int targets = place(0, 2 * Long.BYTES);
        final int target = place(0, bytes);
        image.putLong(targets, there(target)).putLong(targets + Long.BYTES, length).put(target, new byte[bytes]);
        call(SCATTER, target, bytes, there(rows), there(rows + table.entriesOffset()), table.rows(),
            there(from), length, length, there(targets));
        final byte[] result = new byte[bytes];
        image.get(target, result);
        return result;
    }

    private int begin(final int bytes)
    {
        image.clear();
        return place(0, bytes);
    }

    /** Room that begins where in a line the address does. */
    private int place(final long address, final int bytes)
    {
        final int lines = (image.position() + LINE - 1) / LINE * LINE;
        final int place = lines + (int)(address & LINE - 1);
        image.position(place + bytes);
        return place;
    }

    private int copyIn(final long address, final int bytes)
    {
        final int place = place(address, bytes);
        UnsafeApi.copyMemory(address, BufferUtil.address(image) + place, bytes);
        return place;
    }

    private void copyOut(final int place, final long address, final int bytes)
    {
        UnsafeApi.copyMemory(BufferUtil.address(image) + place, address, bytes);
    }

    /** Address in the other process. */
    private long there(final int place)
    {
        return memory + place;
    }

    /** The result replaces what the image has there. */
    private void call(final int function, final int result, final int bytes, final long... arguments)
    {
        header.clear().putInt(function).putInt(image.position()).putLong(there(result)).putLong(bytes);
        for (final long argument : arguments)
        {
            header.putLong(argument);
        }

        try
        {
            requests.write(header.array());
            Channels.newChannel(requests).write(image.flip());
            requests.flush();
            final byte[] answer = new byte[bytes];
            answers.readFully(answer);
            image.clear().put(result, answer);
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException("the emulated process has ended", ex);
        }
    }

}
