/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.tck.processes;

import dev.transload.spi.TransportUnavailableException;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Processes for ranks. One that a test has left in order serves the next test, since starting a JVM takes longer than
 * most tests; all end with this JVM.
 */
final class RankPool
{
    private static final long START_DEADLINE_NS = TimeUnit.SECONDS.toNanos(30);
    private static final int LOOK_MS = 200;
    private static final RankPool SHARED = new RankPool();

    private final Deque<RankProcess> idle = new ArrayDeque<>();
    private final List<RankProcess> started = new ArrayList<>();
    private final SecureRandom random = new SecureRandom();

    private RankPool()
    {
        Runtime.getRuntime().addShutdownHook(new Thread(this::endAll, "end-rank-processes"));
    }

    static RankPool shared()
    {
        return SHARED;
    }

    /**
     * A process without any open transport.
     *
     * @param name by which errors name it.
     * @return a new or an idle one.
     * @throws TransportUnavailableException when no process can be started.
     */
    synchronized RankProcess take(final String name)
    {
        started.removeIf(RankProcess::hasEnded);
        idle.removeIf(RankProcess::hasEnded);
        final RankProcess process = idle.isEmpty() ? start() : idle.pop();
        process.name(name);
        return process;
    }

    /**
     * Takes a process back; one that is no longer usable is ended.
     *
     * @param process that nobody uses any more.
     */
    void giveBack(final RankProcess process)
    {
        if (process.wasKilled())
        {
            return;
        }

        try
        {
            process.reset();
        }
        catch (final RuntimeException | Error ex)
        {
            process.kill();
            throw ex;
        }

        synchronized (this)
        {
            idle.push(process);
        }
    }

    /**
     * Ends the processes that nobody uses.
     *
     * @return what was wrong with those that did not end with status 0.
     */
    List<String> endIdle()
    {
        final List<RankProcess> ending;
        synchronized (this)
        {
            ending = new ArrayList<>(idle);
            idle.clear();
        }

        final List<String> troubles = new ArrayList<>();
        for (final RankProcess process : ending)
        {
            final int status = process.endWithin(RankProcess.END_DEADLINE_MS);
            if (0 != status)
            {
                troubles.add("a rank's process (" + process.pid() + ") ended with status " + status);
            }
        }

        return troubles;
    }

    private RankProcess start()
    {
        Process process = null;
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress()))
        {
            final long token = random.nextLong();
            process = new ProcessBuilder(command(server.getLocalPort()))
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
            final DataOutputStream standardInput = new DataOutputStream(process.getOutputStream());
            standardInput.writeLong(token);
            standardInput.flush();
            final RankProcess rank = new RankProcess(process, accept(server, token, process));
            started.add(rank);
            return rank;
        }
        catch (final IOException ex)
        {
            if (null != process)
            {
                process.destroyForcibly();
            }

            throw new TransportUnavailableException("no process can be started for a rank: " + ex, ex);
        }
    }

    /** The same java, class path and flags as of this JVM; a small heap, and a compiler that is soon done. */
    private static List<String> command(final int port)
    {
        final List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        for (final String argument : ManagementFactory.getRuntimeMXBean().getInputArguments())
        {
            final boolean isProperty = argument.startsWith("-D") && !argument.startsWith("-Dcom.sun.management.");
            if (isProperty || argument.startsWith("--"))
            {
                command.add(argument);
            }
        }

        command.addAll(List.of("-Xmx96m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC",
            "-cp", System.getProperty("java.class.path"), RankMain.class.getName(), Integer.toString(port)));
        return command;
    }

    private static Socket accept(final ServerSocket server, final long token, final Process process)
        throws IOException
    {
        final long deadline = System.nanoTime() + START_DEADLINE_NS;
        server.setSoTimeout(LOOK_MS);
        while (System.nanoTime() - deadline < 0)
        {
            if (!process.isAlive())
            {
                throw new IOException("it ended at once with status " + process.exitValue());
            }

            final Socket socket = accept(server, token);
            if (null != socket)
            {
                return socket;
            }
        }

        throw new IOException("it did not connect within " + START_DEADLINE_NS + " ns");
    }

    /** A connection without the token, of another program, is closed. */
    private static Socket accept(final ServerSocket server, final long token) throws IOException
    {
        final Socket socket;
        try
        {
            socket = server.accept();
        }
        catch (final SocketTimeoutException ex)
        {
            return null;
        }

        boolean isOurs = false;
        try
        {
            socket.setSoTimeout((int)TimeUnit.NANOSECONDS.toMillis(START_DEADLINE_NS));
            isOurs = new DataInputStream(socket.getInputStream()).readLong() == token;
            return isOurs ? socket : null;
        }
        finally
        {
            if (!isOurs)
            {
                socket.close();
            }
        }
    }

    private void endAll()
    {
        final List<RankProcess> left;
        synchronized (this)
        {
            left = new ArrayList<>(started);
            idle.clear();
        }

        left.forEach((process) -> process.endWithin(RankMain.END_DEADLINE_MS));
    }
}
