/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.connect;

import dev.transload.rendezvous.RendezvousException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/**
 * Processes that take the places of lost ones. Such a process asks until the others tell it with which engine it
 * begins; the others remember who asks. Thread-safe.
 */
final class Admissions
{
    /** Older questions are of processes that wait no more. */
    private static final long LATEST_NS = TimeUnit.SECONDS.toNanos(3);

    private final int rank;
    /** By rank, the last question. */
    private final Map<Integer, Question> asking = new TreeMap<>();
    private Admission own;

    /** Of a process. It is asked again and again while the process waits. */
    private record Question(long incarnation, long timeNs)
    {
    }

    Admissions(final int rank)
    {
        this.rank = rank;
    }

    /** A question: the number of the process that asks. */
    static ByteBuffer question(final long incarnation)
    {
        return ByteBuffer.allocate(Long.BYTES).putLong(0, incarnation);
    }

    synchronized void asked(final int by, final ByteBuffer question)
    {
        final long incarnation = question.getLong();
        if (incarnation > 0)
        {
            asking.put(by, new Question(incarnation, System.nanoTime()));
        }
    }

    /** The process that asked for a rank is gone. */
    synchronized void lost(final int other)
    {
        asking.remove(other);
    }

    /** By rank, the processes that still ask. */
    synchronized Map<Integer, Long> asking()
    {
        final Map<Integer, Long> all = new TreeMap<>();
        asking.forEach((other, question) ->
        {
            if (System.nanoTime() - question.timeNs < LATEST_NS)
            {
                all.put(other, question.incarnation);
            }
        });
        return all;
    }

    static ByteBuffer encode(final Admission admission)
    {
        final ByteBuffer processes = Admission.encode(admission.processes());
        return ByteBuffer.allocate(Integer.BYTES + Long.BYTES + processes.remaining())
            .putInt(admission.engine()).putLong(admission.call()).put(processes).flip();
    }

    /** The other ranks announce the members of the next engine. */
    synchronized void admitted(final ByteBuffer bytes, final long incarnation)
    {
        final int engine = bytes.getInt();
        final long call = bytes.getLong();
        final Map<Integer, Long> processes = Admission.decode(bytes);
        if (null == own && Long.valueOf(incarnation).equals(processes.get(rank)))
        {
            own = new Admission(engine, call, processes);
            notifyAll();
        }
    }

    /** What the others said to this process, or null after a while. */
    synchronized Admission await(final Duration longest)
    {
        final long beginNs = System.nanoTime();
        while (null == own && System.nanoTime() - beginNs < longest.toNanos())
        {
            try
            {
                wait(1);
            }
            catch (final InterruptedException ex)
            {
                Thread.currentThread().interrupt();
                throw new RendezvousException(RendezvousException.Reason.CLOSED,
                    "rank " + rank + " was interrupted while it waited to be readmitted", ex);
            }
        }

        return own;
    }
}
