/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.rendezvous;

/**
 * Description of one rank for the other ranks.
 *
 * @param rank        rank in [0, world size).
 * @param incarnation positive number, greater than those of the rank's earlier processes.
 * @param host        name of the host on which the rank runs, for messages.
 * @param processId   id of the rank's process on that host.
 */
public record Member(int rank, long incarnation, String host, long processId)
{
    /**
     * Returns a description of this member for messages.
     *
     * @return description, e.g. {@code rank 3 (pid 4711 on node-a)}.
     */
    public String describe()
    {
        return "rank " + rank + " (pid " + processId + " on " + host + ")";
    }
}
