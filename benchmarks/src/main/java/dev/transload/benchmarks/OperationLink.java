/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.benchmarks;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;

/** Connection between the two processes of {@link TransportOperations}, for all but what is measured. */
final class OperationLink implements AutoCloseable
{
    private static final int TIMEOUT_MS = 60_000;

    private final Socket socket;
    private final DataInputStream in;
    private final DataOutputStream out;

    private OperationLink(final Socket socket)
    {
        try
        {
            socket.setSoTimeout(TIMEOUT_MS);
            socket.setTcpNoDelay(true);
            this.socket = socket;
            this.in = new DataInputStream(socket.getInputStream());
            this.out = new DataOutputStream(socket.getOutputStream());
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }
    }

    /** Where the other process calls. */
    static ServerSocket listen() throws IOException
    {
        final ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        server.setSoTimeout(TIMEOUT_MS);
        return server;
    }

    static OperationLink accept(final ServerSocket server) throws IOException
    {
        return new OperationLink(server.accept());
    }

    static OperationLink call(final int port) throws IOException
    {
        final Socket socket = new Socket();
        socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), TIMEOUT_MS);
        return new OperationLink(socket);
    }

    /** Gives the other process some bytes, and takes as many as it gives. */
    ByteBuffer exchange(final ByteBuffer own)
    {
        try
        {
            final byte[] sent = new byte[own.remaining()];
            own.duplicate().get(sent);
            out.writeInt(sent.length);
            out.write(sent);
            out.flush();
            final byte[] received = new byte[in.readInt()];
            in.readFully(received);
            return ByteBuffer.wrap(received).asReadOnlyBuffer();
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException("the other process does not answer", ex);
        }
    }

    void send(final int number)
    {
        try
        {
            out.writeInt(number);
            out.flush();
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException("the other process does not listen", ex);
        }
    }

    int receive()
    {
        try
        {
            return in.readInt();
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException("the other process does not answer", ex);
        }
    }

    /** Whether {@link #receive()} would not wait. */
    boolean isReady()
    {
        try
        {
            return in.available() >= Integer.BYTES;
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }
    }

    @Override
    public void close()
    {
        try
        {
            socket.close();
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }
    }
}
