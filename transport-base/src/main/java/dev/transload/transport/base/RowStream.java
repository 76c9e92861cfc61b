/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.base;

import dev.transload.natives.BundledLibrary;
import dev.transload.spi.RowList;
import java.io.IOException;
import org.agrona.BufferUtil;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Copies of row lists by streaming stores, in {@code transload_rows.c}. Such stores write memory without reading it
 * first and leave nothing in the cache.
 * <p>
 * They are weakly ordered, but a store fence comes before the native call returns. To whatever this thread does next,
 * such as the channel's fence or the add to a signal, they are therefore as plain stores are (rules ORD).
 */
final class RowStream
{
    /** As in {@code lib<name>.so}. */
    static final String LIBRARY = "transload-rows";

    /** No streaming stores: not built, not loaded, or not an x86-64 CPU with AVX2. */
    static final int WIDTH_NONE = 0;

    /** Bytes of a streaming store with AVX2. */
    static final int WIDTH_AVX2 = 32;

    /** Bytes of a streaming store with AVX-512. */
    static final int WIDTH_AVX512 = 64;

    private static final Logger LOG = LoggerFactory.getLogger(RowStream.class);
    private static final int WIDEST = load();

    private RowStream()
    {
    }

    /**
     * The widest streaming store of this CPU.
     *
     * @return bytes, or {@link #WIDTH_NONE}.
     */
    static int widest()
    {
        return WIDEST;
    }

    /**
     * Copy a part of a list; rows that follow each other on both sides are one copy.
     *
     * @param srcAddress address of the source, to which the list's source offsets are added.
     * @param dstAddress address of the destination, to which the list's destination offsets are added.
     * @param rows       offsets and row length, checked.
     * @param from       first entry.
     * @param end        behind the last entry.
     * @param width      bytes of a store: not {@link #WIDTH_NONE}, and at most the {@link #widest}.
     */
    static void copy(
        final long srcAddress,
        final long dstAddress,
        final RowList rows,
        final int from,
        final int end,
        final int width)
    {
        copyRows(srcAddress, dstAddress, BufferUtil.address(rows.memory()), from, end, rows.rowLength(), width);
    }

    private static int load()
    {
        try
        {
            BundledLibrary.load(RowStream.class, LIBRARY, path -> System.load(path));
            final int width = detect();
            LOG.debug("Streaming stores of rows have {} bytes (0: the JVM copies them)", width);
            return width;
        }
        catch (final IOException | UnsatisfiedLinkError ex)
        {
            LOG.warn("The JVM copies rows, without streaming stores, which is slower where they are long: {}",
                ex.getMessage());
            return WIDTH_NONE;
        }
    }

    private static native int detect();

    private static native void copyRows(long src, long dst, long rows, int from, int end, int rowLength, int width);
}
