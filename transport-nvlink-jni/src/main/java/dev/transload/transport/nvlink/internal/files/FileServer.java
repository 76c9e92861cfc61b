/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.nvlink.internal.files;

import dev.transload.spi.TransportUnavailableException;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;

/** Answers questions for files. One thread polls it; another closes it when that has ended. */
public final class FileServer implements AutoCloseable
{
    private final int socket;
    private final FileSource source;
    private final List<Integer> connections = new ArrayList<>();
    private final FilePacket packet = new FilePacket();

    private FileServer(final int socket, final FileSource source)
    {
        this.socket = socket;
        this.source = source;
    }

    /**
     * Listen.
     *
     * @param path   of the socket to make, in a private directory, which deletes it.
     * @param source of the files.
     * @return the server.
     * @throws TransportUnavailableException when the socket cannot be made.
     */
    public static FileServer listen(final Path path, final FileSource source)
    {
        FileCalls.load();
        final int socket = FileCalls.listen(path.toString());
        if (socket < 0)
        {
            throw new TransportUnavailableException("transport nvlink cannot listen on socket " + path + " (" +
                FileCalls.errorText(-socket) + "): set transload.nvlink.region-directory to a directory that can be " +
                "written and has a short name", null);
        }

        return new FileServer(socket, source);
    }

    /** Answer what has been asked. Never blocks. */
    public int poll()
    {
        int work = 0;
        for (int accepted = FileCalls.accept(socket); accepted >= 0; accepted = FileCalls.accept(socket))
        {
            connections.add(accepted);
            work++;
        }

        // A thread that spins polls this all the time.
        if (connections.isEmpty())
        {
            return work;
        }

        for (final Iterator<Integer> each = connections.iterator(); each.hasNext();)
        {
            final int connection = each.next();
            final int received = packet.receive(connection);
            if (received > 0)
            {
                work++;
            }

            if (received > 0 ? !answer(connection) : FileCalls.AGAIN != received)
            {
                each.remove();
                FileCalls.close(connection);
            }
        }

        return work;
    }

    /** False when the asker is gone. */
    private boolean answer(final int connection)
    {
        final OpenFile file = source.open(packet.id(), packet.index());
        if (null == file)
        {
            packet.answer(0);
            return packet.send(connection, -1) > 0;
        }

        try (file)
        {
            packet.answer(file.length());
            return packet.send(connection, file.descriptor()) > 0;
        }
    }

    @Override
    public void close()
    {
        connections.forEach(FileCalls::close);
        connections.clear();
        FileCalls.close(socket);
    }
}
