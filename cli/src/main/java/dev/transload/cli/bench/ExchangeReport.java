/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.bench;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;

/**
 * What one rank measured.
 *
 * @param rank       own number.
 * @param host       name.
 * @param processId  of its process.
 * @param version    of the transport.
 * @param emulated   whether its device is an emulation.
 * @param memoryKind of what is put.
 * @param areaBytes  memory for each peer, through which puts walk.
 * @param limit      what rates are compared with, {@code memcpy} or {@code stream}.
 * @param rates      one for each size and traffic.
 * @param latencies  one for each size; of the first rank of a pair only.
 */
record ExchangeReport(
    int rank, String host, long processId, String version, boolean emulated, String memoryKind, long areaBytes,
    String limit, List<Rate> rates, List<Latency> latencies)
{
    /** A copy in memory, on each sender as long as the puts. */
    static final String MEMCPY = "memcpy";

    /** Large puts between the same ranks at the same time. */
    static final String STREAM = "stream";

    /**
     * Puts of one size.
     *
     * @param traffic which ranks put.
     * @param bytes   of a put.
     * @param puts    of a round, from this rank to all its peers; 0 where it does not put.
     * @param ns      by round, from the first put until all were visible at the peers.
     * @param limitNs by round, in which the limit moved as many bytes; empty where it is measured once.
     * @param waits   of all rounds together.
     */
    record Rate(ExchangePattern.Traffic traffic, int bytes, long puts, long[] ns, long[] limitNs, Waits waits)
    {
    }

    /**
     * Where the time of all rounds went.
     *
     * @param postingNs  in calls that were accepted, and between them.
     * @param refusedNs  until the transport had room again.
     * @param deliveryNs until what was put was visible at the peers.
     * @param peersNs    until the puts of others had come, after all own ones were visible.
     */
    record Waits(long postingNs, long refusedNs, long deliveryNs, long peersNs)
    {
        Waits plus(final Waits other)
        {
            return new Waits(postingNs + other.postingNs, refusedNs + other.refusedNs,
                deliveryNs + other.deliveryNs, peersNs + other.peersNs);
        }

        long sumNs()
        {
            return postingNs + refusedNs + deliveryNs + peersNs;
        }
    }

    /**
     * Half of the time from a put with its signal to the signal that answers it.
     *
     * @param bytes  of the put.
     * @param trips  round trips.
     * @param micros percentiles.
     */
    record Latency(int bytes, int trips, JsonNode micros)
    {
    }
}
