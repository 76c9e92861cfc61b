/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.tck.processes;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.util.concurrent.TimeUnit;

/**
 * A rank's process: does what it is asked, one request after the other, on one thread. Requests come by a socket, since
 * native libraries print what they like on the standard output. It ends when its standard input does, that is, with
 * the process that started it, however that ended.
 */
final class RankMain
{
    /** Time for an orderly end once the standard input has ended; what keeps the process any longer is an error. */
    static final long END_DEADLINE_MS = TimeUnit.SECONDS.toMillis(5);

    private RankMain()
    {
    }

    /**
     * Run.
     *
     * @param args port at which the test's process listens; the token that shows who we are is read from the
     *             standard input.
     * @throws IOException when the test's process cannot be reached.
     */
    public static void main(final String[] args) throws IOException
    {
        final DataInputStream standardInput = new DataInputStream(System.in);
        final long token = standardInput.readLong();
        endWith(standardInput);
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), Integer.parseInt(args[0])))
        {
            socket.setTcpNoDelay(true);
            final DataOutputStream out = new DataOutputStream(new BufferedOutputStream(socket.getOutputStream()));
            out.writeLong(token);
            out.flush();
            serve(new DataInputStream(new BufferedInputStream(socket.getInputStream())), out);
        }
    }

    private static void serve(final DataInputStream in, final DataOutputStream out) throws IOException
    {
        final RankObjects objects = new RankObjects();
        try
        {
            while (true)
            {
                out.write(answer(objects, Wire.readBytes(in)));
                out.flush();
            }
        }
        catch (final EOFException ex)
        {
            // The test's process has closed the socket: the end, not an error.
            objects.reset();
        }
    }

    private static byte[] answer(final RankObjects objects, final byte[] request) throws IOException
    {
        try
        {
            return answer(objects, Wire.DONE, objects.call(new DataInputStream(new ByteArrayInputStream(request))));
        }
        catch (final Throwable thrown)
        {
            return answer(objects, Wire.THROWN, thrown);
        }
    }

    private static byte[] answer(final RankObjects objects, final byte status, final Object value) throws IOException
    {
        final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        final DataOutputStream out = new DataOutputStream(bytes);
        out.writeByte(status);
        Wire.write(out, objects, value);
        return bytes.toByteArray();
    }

    private static void endWith(final InputStream standardInput)
    {
        final Thread thread = new Thread(() ->
        {
            awaitEnd(standardInput);
            try
            {
                Thread.sleep(END_DEADLINE_MS);
            }
            catch (final InterruptedException ex)
            {
                Thread.currentThread().interrupt();
            }

            Runtime.getRuntime().halt(1);
        }, "end-with-parent");
        thread.setDaemon(true);
        thread.start();
    }

    private static void awaitEnd(final InputStream standardInput)
    {
        try
        {
            standardInput.transferTo(OutputStream.nullOutputStream());
        }
        catch (final IOException ex)
        {
            // What cannot be read has ended, too.
            return;
        }
    }
}
