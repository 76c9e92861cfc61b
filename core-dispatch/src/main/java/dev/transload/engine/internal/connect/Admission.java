/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.connect;

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

    /** Ranks that take part. */
    public List<Integer> present()
    {
        return List.copyOf(processes.keySet());
    }
}
