/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.examples.mmap;

import dev.transload.spi.TransportException;
import dev.transload.spi.TransportUnavailableException;
import dev.transload.transport.base.AddressView;
import dev.transload.transport.base.AvailableMemory;
import dev.transload.transport.base.SharedMemory;
import java.lang.ref.Cleaner;
import java.nio.ByteBuffer;

/** Memory of a library that peers reach by keys. The sample needs none; WRITING-A-TRANSPORT.md shows it. */
final class KeyedMemory implements SharedMemory
{
    private static final Cleaner CLEANER = Cleaner.create();

    private final long address;
    private final ByteBuffer key;
    private final Cleaner.Cleanable memory;

    /** What such a library offers. */
    interface Library
    {
        /** Zeroed bytes. */
        long allocate(long length);

        /** What peers need; refused by a TransportException. */
        byte[] export(long address, long length);

        /** Revokes the key, then gives the bytes back. */
        void free(long address);
    }

    private KeyedMemory(final Library library, final long address, final byte[] key)
    {
        this.address = address;
        this.key = ByteBuffer.wrap(key).asReadOnlyBuffer();
        // The action must not refer to this object, or it would never run.
        this.memory = CLEANER.register(this, () -> library.free(address));
    }

    static KeyedMemory allocate(final Library library, final long length)
    {
        AvailableMemory.require("carrier", length);
        final long address = library.allocate(length);
        try
        {
            return new KeyedMemory(library, address, library.export(address, length));
        }
        catch (final TransportException ex)
        {
            library.free(address);
            throw new TransportUnavailableException("transport carrier: " + length +
                " bytes cannot be exported to peers (" + ex.getMessage() + "): raise the limit of locked memory", ex);
        }
    }

    @Override
    public long address()
    {
        return address;
    }

    @Override
    public ByteBuffer view(final long offset, final int length)
    {
        return AddressView.of(address + offset, length);
    }

    @Override
    public ByteBuffer key()
    {
        return key.duplicate();
    }

    @Override
    public void free()
    {
        memory.clean();
    }

    @Override
    public void abandon()
    {
        // The cleaner frees it, once no reader refers to this object any more.
    }
}
