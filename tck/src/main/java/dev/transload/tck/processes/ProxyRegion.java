/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.tck.processes;

import dev.transload.spi.Access;
import dev.transload.spi.MemoryKind;
import dev.transload.spi.MemoryRegion;
import dev.transload.tck.ForeignMemory;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/** A region in a rank's process. */
final class ProxyRegion extends Proxied implements MemoryRegion, ForeignMemory
{
    ProxyRegion(final RankProcess process, final long handle)
    {
        super(process, handle);
    }

    @Override
    public MemoryKind kind()
    {
        return new MemoryKind(
            new String(process.answer(Request.KIND, handle, null).bytes(), StandardCharsets.US_ASCII));
    }

    @Override
    public int device()
    {
        return (int)ask(Request.DEVICE);
    }

    @Override
    public Access access()
    {
        return Access.values()[(int)ask(Request.ACCESS)];
    }

    @Override
    public long length()
    {
        return ask(Request.LENGTH);
    }

    @Override
    public long address()
    {
        return ask(Request.REGION_ADDRESS);
    }

    @Override
    public ByteBuffer descriptor()
    {
        return askBuffer(Request.DESCRIPTOR);
    }

    /** Not here: {@link #read} and {@link #write} are instead. */
    @Override
    public ByteBuffer hostView(final long offset, final int length)
    {
        throw new UnsupportedOperationException("there is no view of the memory of " + process.name());
    }

    @Override
    public byte[] read(final long offset, final int length)
    {
        return process.answer(Request.READ, handle, (out) ->
        {
            out.writeLong(offset);
            out.writeInt(length);
        }).bytes();
    }

    @Override
    public void write(final long offset, final byte[] bytes)
    {
        ask(Request.WRITE, (out) ->
        {
            out.writeLong(offset);
            Wire.write(out, bytes);
        });
    }

    @Override
    public long word(final long offset)
    {
        return ask(Request.READ_WORD, (out) -> out.writeLong(offset));
    }

    @Override
    public void word(final long offset, final long value)
    {
        ask(Request.WRITE_WORD, (out) ->
        {
            out.writeLong(offset);
            out.writeLong(value);
        });
    }
}
