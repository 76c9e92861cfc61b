/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.connect;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * With what a process begins that takes the place of a lost one.
 *
 * @param engine    number of the first engine that it takes part in.
 * @param call      number of the call in which it was readmitted, equal on all ranks.
 * @param processes that take part in that engine, it among them, by rank.
 */
public record Admission(int engine, long call, Map<Integer, Long> processes)
{
    /** Sorts the processes by rank. */
    public Admission
    {
        processes = new TreeMap<>(processes);
    }

    /** Processes as bytes: for each its rank i32, incarnation i64. */
    public static ByteBuffer encode(final Map<Integer, Long> processes)
    {
        final ByteBuffer bytes = ByteBuffer.allocate(processes.size() * (Integer.BYTES + Long.BYTES));
        processes.forEach((rank, incarnation) -> bytes.putInt(rank).putLong(incarnation));
        return bytes.flip();
    }

    /** Processes of the remaining bytes, by rank. */
    public static Map<Integer, Long> decode(final ByteBuffer bytes)
    {
        final Map<Integer, Long> processes = new TreeMap<>();
        while (bytes.hasRemaining())
        {
            processes.put(bytes.getInt(), bytes.getLong());
        }

        return processes;
    }

    /** Ranks that take part. */
    public List<Integer> present()
    {
        return List.copyOf(processes.keySet());
    }
}
