/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.tck.processes;

import dev.transload.spi.Transport;
import dev.transload.spi.TransportConfig;
import dev.transload.spi.TransportProvider;
import dev.transload.tck.DeviceChecks;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.lang.reflect.Method;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.util.concurrent.TimeUnit;

/**
 * A rank's process as the test's process sees it: takes one request at a time, from any thread, and answers it within
 * a deadline. A request without arguments, answered by a small number, allocates nothing here, so that rule POS-7 may
 * ask for progress.
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
    private final DataOutputStream request = new DataOutputStream(frame);
    private final Stubs stubs = new Stubs(this);
    private final Rank rank = (Rank)stubs.object(RankObjects.RANK, Rank.class);
    private String name = "no rank";
    private boolean ended;
    private boolean killed;

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

    /**
     * Opens a transport in it.
     *
     * @param provider class with a public constructor without arguments.
     * @param config   of the rank; its error handler stays behind.
     * @return the transport.
     */
    Transport open(final Class<? extends TransportProvider> provider, final TransportConfig config)
    {
        return rank.open(provider.getName(), config.rank(), config.worldSize(), config.incarnation(),
            config.livenessTimeoutNs(), config.options());
    }

    DeviceChecks openChecks(final Class<? extends DeviceChecks> checks)
    {
        return rank.openChecks(checks.getName());
    }

    /** Closes what it has opened. */
    synchronized void reset()
    {
        rank.reset();
        stubs.forgetRows();
    }

    /** Calls a method of an object there, whose result or exception is that of the method. */
    synchronized Object call(final int target, final Method method, final Object[] arguments)
    {
        send(target, method, arguments);
        try
        {
            final boolean isThrown = Wire.THROWN == in.readByte();
            final Object answer = Wire.read(in, stubs, method.getReturnType());
            if (isThrown)
            {
                throw rethrown((Throwable)answer, method);
            }

            return answer;
        }
        catch (final IOException ex)
        {
            throw lost(method, ex);
        }
    }

    /** Ends it without a farewell, and returns when it has ended. */
    synchronized void kill()
    {
        killed = true;
        end(0);
    }

    /** Lets it end in an orderly way within a time, else kills it; returns its status when it has ended. */
    synchronized int endWithin(final long timeoutMs)
    {
        end(timeoutMs);
        return process.exitValue();
    }

    private void end(final long timeoutMs)
    {
        ended = true;
        try
        {
            if (timeoutMs > 0)
            {
                socket.close();
                process.getOutputStream().close();
                process.waitFor(timeoutMs, TimeUnit.MILLISECONDS);
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

    private void send(final int target, final Method method, final Object[] arguments)
    {
        if (ended)
        {
            throw new AssertionError(name() + " has ended and cannot be asked for " + Wire.name(method));
        }

        try
        {
            frame.reset();
            request.writeInt(target);
            Wire.writeCall(request, stubs, method, arguments);
            out.writeInt(frame.size());
            frame.writeTo(out);
            out.flush();
        }
        catch (final IOException ex)
        {
            throw lost(method, ex);
        }
    }

    /** Throws it, with a note of what was asked for. */
    private RuntimeException rethrown(final Throwable thrown, final Method method)
    {
        thrown.addSuppressed(
            new IllegalStateException("thrown in the process of " + name() + " by " + Wire.name(method)));
        if (thrown instanceof final Error error)
        {
            throw error;
        }

        if (thrown instanceof final RuntimeException exception)
        {
            return exception;
        }

        throw new AssertionError(thrown + ", which no method of the SPI may throw", thrown);
    }

    private AssertionError lost(final Method method, final IOException cause)
    {
        final boolean isSilent = cause instanceof SocketTimeoutException;
        end(isSilent ? 0 : TimeUnit.SECONDS.toMillis(2));
        return new AssertionError(name() + (isSilent ?
            " did not answer within " + ANSWER_DEADLINE_MS + " ms and was killed; it was asked for " :
            " ended " + (process.isAlive() ? "" : "with status " + process.exitValue() + " ") + "when asked for ") +
            Wire.name(method), cause);
    }
}
