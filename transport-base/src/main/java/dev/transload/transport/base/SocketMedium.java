/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.base;

import dev.transload.spi.TransportException;
import dev.transload.spi.TransportUnavailableException;
import java.io.Closeable;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.function.Function;
import java.util.function.LongConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Carries control messages between ranks of one host, for transports whose library has no control messages. The medium
 * uses Unix domain sockets. Two ranks have one connection for each direction. The operating system closes the sockets
 * of a process that ends for any reason, so peers notice the end of the process immediately.
 */
public final class SocketMedium implements ControlMedium
{
    /** Largest length of a message in bytes. */
    public static final int MAX_MESSAGE_LENGTH = 8192;

    private static final Logger LOG = LoggerFactory.getLogger(SocketMedium.class);

    /** All ranks of a host may call at the same moment. */
    private static final int BACKLOG = 1024;

    private final Function<PeerIdentity, Path> socketOf;
    private final Selector selector;
    private final ServerSocketChannel server;
    private final List<SocketReader> readers = new ArrayList<>();
    private final List<SocketStream> streams = new ArrayList<>();
    private LongConsumer lostPeers = (peer) -> {};
    private volatile boolean isClosed;

    private SocketMedium(
        final Function<PeerIdentity, Path> socketOf, final Selector selector, final ServerSocketChannel server)
    {
        this.socketOf = socketOf;
        this.selector = selector;
        this.server = server;
    }

    /**
     * Creates a socket and listens on it.
     *
     * @param transport name of the calling transport, for error messages.
     * @param socket    path of the socket to create. The socket must be in a {@link PrivateDirectory}, which deletes
     *                  the socket.
     * @param socketOf  function that returns the path of a peer's socket, given the identity of the peer.
     * @return listening medium.
     * @throws TransportUnavailableException if the socket cannot be created.
     */
    public static SocketMedium listen(
        final String transport, final Path socket, final Function<PeerIdentity, Path> socketOf)
    {
        Selector selector = null;
        ServerSocketChannel server = null;
        try
        {
            selector = Selector.open();
            server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
            server.bind(UnixDomainSocketAddress.of(socket), BACKLOG);
            server.configureBlocking(false);
            server.register(selector, SelectionKey.OP_ACCEPT);
            return new SocketMedium(socketOf, selector, server);
        }
        catch (final IOException ex)
        {
            close(server);
            close(selector);
            throw new TransportUnavailableException("transport " + transport + " cannot listen on socket " + socket +
                " (" + ex.getMessage() + "): set transload." + transport + "." + MappedFile.DIRECTORY.key() +
                " to a directory that can be written and has a short name", ex);
        }
    }

    /**
     * Sets the listener for peers whose connection ends, including peers that have sent a goodbye. This method must be
     * called before the agent starts.
     *
     * @param listener listener that receives the transport ID of the peer. The transport's thread calls the listener.
     */
    public void reportTo(final LongConsumer listener)
    {
        lostPeers = listener;
    }

    @Override
    public int drive()
    {
        int work = 0;
        try
        {
            selector.selectNow();
            for (final SelectionKey key : selector.selectedKeys())
            {
                work += key.channel() == server ? accept() : ((SocketReader)key.attachment()).fill();
            }

            selector.selectedKeys().clear();
        }
        catch (final IOException ex)
        {
            throw new TransportException("control sockets: " + ex.getMessage(), TransportException.NO_STATUS, ex);
        }

        for (final SocketStream stream : streams)
        {
            stream.flush();
        }

        return work;
    }

    @Override
    public int poll(final MessageHandler handler, final int limit)
    {
        int count = 0;
        for (final Iterator<SocketReader> each = readers.iterator(); each.hasNext() && count < limit;)
        {
            final SocketReader reader = each.next();
            count += reader.deliver(handler, limit - count);
            if (reader.isAtItsEnd())
            {
                each.remove();
                close(reader.socket());
                if (MessageHandler.NO_PEER != reader.peer())
                {
                    lostPeers.accept(reader.peer());
                }
            }
        }

        return count;
    }

    @Override
    public ControlStream open(final PeerIdentity peer)
    {
        final Path socket = socketOf.apply(peer);
        SocketChannel connected = null;
        try
        {
            connected = SocketChannel.open(StandardProtocolFamily.UNIX);
            connected.configureBlocking(false);
            if (!connected.connect(UnixDomainSocketAddress.of(socket)))
            {
                throw new IOException("too many connect at once");
            }

            final SocketStream stream = new SocketStream(connected, peer, streams::remove);
            streams.add(stream);
            return stream;
        }
        catch (final IOException ex)
        {
            close(connected);
            throw new TransportException(
                "its socket " + socket + " takes no connection: " + ex.getMessage(), TransportException.NO_STATUS, ex);
        }
    }

    @Override
    public boolean isClosed()
    {
        return isClosed;
    }

    @Override
    public String closedReason()
    {
        return "the control socket was closed";
    }

    @Override
    public void close()
    {
        isClosed = true;
        List.copyOf(streams).forEach(SocketStream::close);
        readers.forEach((reader) -> close(reader.socket()));
        readers.clear();
        close(server);
        close(selector);
    }

    private int accept() throws IOException
    {
        int count = 0;
        SocketChannel socket = server.accept();
        while (null != socket)
        {
            socket.configureBlocking(false);
            final SocketReader reader = new SocketReader(socket);
            socket.register(selector, SelectionKey.OP_READ, reader);
            readers.add(reader);
            count++;
            socket = server.accept();
        }

        return count;
    }

    static void close(final Closeable closed)
    {
        try
        {
            if (null != closed)
            {
                closed.close();
            }
        }
        catch (final IOException ex)
        {
            LOG.debug("{} was not closed in order", closed, ex);
        }
    }
}
