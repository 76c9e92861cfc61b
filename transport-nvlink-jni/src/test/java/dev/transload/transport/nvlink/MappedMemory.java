/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.nvlink;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;

/** Device memory as frameworks map it, out of pieces of {@link #PIECE} bytes. */
final class MappedMemory implements AutoCloseable
{
    /** Bytes of a piece. */
    static final long PIECE = 2 << 20;

    private final long address;
    private final long length;

    /** After the transport's options have opened the driver. */
    MappedMemory(final int device, final int pieces, final boolean isExportable)
    {
        final Path library = Path.of(Emulator.options().get("library"));
        System.load(library.resolveSibling("rules").resolve("libmapped_memory.so").toString());
        assertTrue(open(library.toString()), "the driver has no virtual memory management");
        length = PIECE * pieces;
        address = map(device, PIECE, pieces, isExportable);
        assertTrue(address > 0, "CUDA error " + -address);
    }

    long address()
    {
        return address;
    }

    @Override
    public void close()
    {
        assertEquals(0, unmap(address, length));
    }

    private static native boolean open(String library);

    private static native long map(int device, long length, int pieces, boolean isExportable);

    private static native int unmap(long address, long length);
}
