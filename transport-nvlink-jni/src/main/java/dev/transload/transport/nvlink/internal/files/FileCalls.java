/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.nvlink.internal.files;

import dev.transload.natives.BundledLibrary;
import dev.transload.spi.TransportUnavailableException;

import java.io.IOException;

/**
 * The calls of the shim. Each gives a descriptor or a count of bytes, or the negated error of the system. A socket is
 * one of packets that keep their borders (SOCK_SEQPACKET), closed when this process runs another program.
 */
final class FileCalls
{
    /** EAGAIN: nothing has come yet, or in time. */
    static final int AGAIN = -11;

    private static final String SHIM = "transload-files";
    private static boolean isLoaded;

    private FileCalls()
    {
    }

    static synchronized void load()
    {
        try
        {
            if (!isLoaded)
            {
                BundledLibrary.load(FileCalls.class, SHIM, System::load);
                isLoaded = true;
            }
        }
        catch (final IOException | UnsatisfiedLinkError ex)
        {
            throw new TransportUnavailableException("the shim " + SHIM + " of the transport nvlink cannot be loaded (" +
                ex.getMessage() + "): memory that is shared by files is out of reach", ex);
        }
    }

    /** A socket that listens and never blocks. */
    static native int listen(String path);

    /** A connection that waits for the next packet, and for room, as long as is said. */
    static native int connect(String path, int timeoutMs);

    /** The next connection, which never blocks. */
    static native int accept(int socket);

    /** One packet, and the file beside it unless that is negative. */
    static native int send(int socket, long packet, int length, int file);

    /** One packet; the i32 at {@code file} becomes the file beside it, or -1. 0 bytes: the connection has ended. */
    static native int receive(int socket, long packet, int length, long file);

    static native int close(int descriptor);

    /** What an error of the system means. */
    static native String errorText(int error);
}
