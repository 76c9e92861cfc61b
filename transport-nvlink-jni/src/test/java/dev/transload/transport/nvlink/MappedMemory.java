/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.nvlink;

import dev.transload.transport.base.AddressView;
import dev.transload.transport.nvlink.cuda.CudaDevice;
import dev.transload.transport.nvlink.cuda.CudaStream;
import dev.transload.transport.nvlink.cuda.PinnedMemory;

import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/** Device memory as frameworks map it, out of pieces of {@link #PIECE} bytes. */
final class MappedMemory implements AutoCloseable
{
    /** Bytes of a piece. */
    static final long PIECE = 2 << 20;

    private static final long TIMEOUT_NS = TimeUnit.SECONDS.toNanos(20);

    private final long address;
    private final long length;

    /** By native code that the build makes beside the emulator, after a transport has opened the driver's library. */
    MappedMemory(
        final String library, final Path natives, final int device, final int pieces, final boolean isExportable)
    {
        System.load(natives.toAbsolutePath().toString());
        if (!open(library))
        {
            throw new IllegalStateException(library + " has no virtual memory management");
        }

        length = PIECE * pieces;
        address = map(device, PIECE, pieces, isExportable);
        if (address <= 0)
        {
            throw new IllegalStateException("memory of device " + device + " is not mapped: CUDA error " + -address);
        }
    }

    /** Memory of a device as that device sees it. */
    static byte[] read(final CudaDevice device, final long address, final int length)
    {
        try (CudaStream stream = device.openStream(); PinnedMemory pinned = device.allocatePinned(length))
        {
            final int code = stream.await(stream.copy(pinned.address(), address, length), TIMEOUT_NS);
            if (0 != code)
            {
                throw new IllegalStateException("device " + device.ordinal() + " is not read: CUDA error " + code);
            }

            final byte[] bytes = new byte[length];
            AddressView.of(pinned.address(), length).get(bytes);
            return bytes;
        }
    }

    long address()
    {
        return address;
    }

    @Override
    public void close()
    {
        final int code = unmap(address, length);
        if (0 != code)
        {
            throw new IllegalStateException("mapped memory is not given back: CUDA error " + code);
        }
    }

    private static native boolean open(String library);

    private static native long map(int device, long length, int pieces, boolean isExportable);

    private static native int unmap(long address, long length);
}
