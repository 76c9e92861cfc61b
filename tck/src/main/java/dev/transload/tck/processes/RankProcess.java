/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.tck.processes;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.util.concurrent.TimeUnit;

/**
 * A rank's process as the test's process sees it: takes one request at a time, from any thread, and answers it within
 * a deadline. A request without arguments allocates nothing, so that rule POS-7 may ask for progress.
 * <p>
 * A process that crashes, hangs or was killed shows as an {@link AssertionError}: the kit takes exceptions for
 * refusals, and a crash is none.
 */
final class RankProcess
{
    static final long ANSWER_DEADLINE_MS = TimeUnit.SECONDS.toMillis(30);
    static final long END_DEADLINE_MS = TimeUnit.SECONDS.toMillis(10);

    private final Process process;
    private final Socket socket;
    private final DataInputStream in;
    private final DataOutputStream out;
    private final ByteArrayOutputStream frame = new ByteArrayOutputStream();
    private final DataOutputStream arguments = new DataOutputStream(frame);
    private String name = "no rank";
    private boolean ended;
    private boolean killed;

    /** Writes the arguments of a request. */
    @FunctionalInterface
    interface Arguments
    {
        void write(DataOutputStream out) throws IOException;
    }

    RankProcess(final Process process, final Socket socket) throws IOException
    {
        this.process = process;
        this.socket = socket;
        socket.setTcpNoDelay(true);
        socket.setSoTimeout((int)ANSWER_DEADLINE_MS);
        in = new DataInputStream(new BufferedInputStream(socket.getInputStream()));
        out = new DataOutputStream(new BufferedOutputStream(socket.getOutputStream()));
    }

    /** Whom errors name from now on. */
    synchronized void name(final String value)
    {
        name = value;
    }

    synchronized String name()
    {
        return name + " (process " + process.pid() + ")";
    }

    long pid()
    {
        return process.pid();
    }

    synchronized boolean hasEnded()
    {
        return ended || !process.isAlive();
    }

    /** Whether it ended by {@link #kill()}, so that nothing of it is left to be closed. */
    synchronized boolean wasKilled()
    {
        return killed;
    }

    /** Asks for something that has no arguments and is answered by a number. */
    synchronized long ask(final Request request, final int target)
    {
        send(request, target, null);
        return number(request);
    }

    /** Asks for something that is answered by a number. */
    synchronized long ask(final Request request, final int target, final Arguments written)
    {
        send(request, target, written);
        return number(request);
    }

    /** Asks for something that is answered by bytes. */
    synchronized Answer answer(final Request request, final int target, final Arguments written)
    {
        send(request, target, written);
        try
        {
            final long number = readNumber(request);
            return new Answer(number, Answer.readBytes(in));
        }
        catch (final IOException ex)
        {
            throw lost(request, ex);
        }
    }

    /** Ends it without a farewell, and returns when it has ended. */
    synchronized void kill()
    {
        killed = true;
        end(0);
    }

    /** Lets it end in an orderly way within a time, else kills it; returns its status when it has ended. */
    synchronized int endWithin(final long patienceMs)
    {
        end(patienceMs);
        return process.exitValue();
    }

    private void end(final long patienceMs)
    {
        ended = true;
        try
        {
            if (patienceMs > 0)
            {
                socket.close();
                process.getOutputStream().close();
                process.waitFor(patienceMs, TimeUnit.MILLISECONDS);
            }

            process.destroyForcibly();
            socket.close();
            if (!process.waitFor(END_DEADLINE_MS, TimeUnit.MILLISECONDS))
            {
                throw new AssertionError(name() + " did not end within " + END_DEADLINE_MS + " ms of being killed");
            }
        }
        catch (final IOException ex)
        {
            process.destroyForcibly();
            throw new AssertionError(name() + " could not be ended: " + ex, ex);
        }
        catch (final InterruptedException ex)
        {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }

    private void send(final Request request, final int target, final Arguments written)
    {
        if (ended)
        {
            throw new AssertionError(name() + " has ended and cannot be asked for " + request);
        }

        try
        {
            frame.reset();
            arguments.writeByte(request.ordinal());
            arguments.writeInt(target);
            if (null != written)
            {
                written.write(arguments);
            }

            out.writeInt(frame.size());
            frame.writeTo(out);
            out.flush();
        }
        catch (final IOException ex)
        {
            throw lost(request, ex);
        }
    }

    private long number(final Request request)
    {
        try
        {
            final long number = readNumber(request);
            in.readInt();
            return number;
        }
        catch (final IOException ex)
        {
            throw lost(request, ex);
        }
    }

    private long readNumber(final Request request) throws IOException
    {
        if (Answer.THROWN == in.readByte())
        {
            throw Thrown.rethrow(name(), request, Answer.readBytes(in));
        }

        return in.readLong();
    }

    private AssertionError lost(final Request request, final IOException cause)
    {
        final boolean isSilent = cause instanceof SocketTimeoutException;
        end(isSilent ? 0 : TimeUnit.SECONDS.toMillis(2));
        return new AssertionError(name() + (isSilent ?
            " did not answer within " + ANSWER_DEADLINE_MS + " ms and was killed; it was asked for " :
            " ended " + (process.isAlive() ? "" : "with status " + process.exitValue() + " ") + "when asked for ") +
            request, cause);
    }
}
