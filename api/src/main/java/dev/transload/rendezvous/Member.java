/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.rendezvous;

/**
 * One rank as the others see it.
 *
 * @param rank        in [0, world size).
 * @param incarnation number that no earlier life of this rank has used.
 * @param host        name of the host it runs on, for messages to people.
 * @param processId   of its process on that host.
 */
public record Member(int rank, long incarnation, String host, long processId)
{
    /**
     * How messages name this member.
     *
     * @return e.g. {@code rank 3 (pid 4711 on node-a)}.
     */
    public String describe()
    {
        return "rank " + rank + " (pid " + processId + " on " + host + ")";
    }
}
