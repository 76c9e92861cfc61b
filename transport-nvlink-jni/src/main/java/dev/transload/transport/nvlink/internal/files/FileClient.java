/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.nvlink.internal.files;

import dev.transload.spi.TransportUnavailableException;

import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/** Asks another process for files. For one thread, which waits for the answers. */
public final class FileClient implements AutoCloseable
{
    private final int socket;
    private final Path path;
    private final long timeoutMs;
    private final FilePacket packet = new FilePacket();

    private FileClient(final int socket, final Path path, final long timeoutMs)
    {
        this.socket = socket;
        this.path = path;
        this.timeoutMs = timeoutMs;
    }

    /**
     * Connect.
     *
     * @param path      where a {@link FileServer} listens.
     * @param timeoutNs for which an answer is waited.
     * @return connection.
     * @throws TransportUnavailableException in a clause, when nobody listens.
     */
    public static FileClient connect(final Path path, final long timeoutNs)
    {
        FileCalls.load();
        final long timeoutMs = Math.max(1, TimeUnit.NANOSECONDS.toMillis(timeoutNs));
        final int socket = FileCalls.connect(path.toString(), (int)Math.min(Integer.MAX_VALUE, timeoutMs));
        if (socket < 0)
        {
            throw new TransportUnavailableException("its socket " + path + " takes no connection: " +
                FileCalls.errorText(-socket), null);
        }

        return new FileClient(socket, path, timeoutMs);
    }

    /**
     * Ask for a file.
     *
     * @param id    of what is asked for.
     * @param index of the file.
     * @return file, the caller's to close; null where the other process has none.
     * @throws TransportUnavailableException in a clause, when it does not answer.
     */
    public OpenFile ask(final int id, final int index)
    {
        packet.question(id, index);
        final int sent = packet.send(socket, -1);
        final int received = sent > 0 ? packet.receive(socket) : sent;
        if (received > 0)
        {
            return packet.file();
        }

        throw new TransportUnavailableException("its socket " + path + " does not answer" +
            (0 == received ? ": it was closed" : FileCalls.AGAIN == received ? " within " + timeoutMs + " ms" :
            ": " + FileCalls.errorText(-received)), null);
    }

    @Override
    public void close()
    {
        FileCalls.close(socket);
    }
}
