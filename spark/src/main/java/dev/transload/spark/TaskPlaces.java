/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.spark;

import dev.transload.engine.WorldConfig;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Which task is which rank. Ranks are numbered host by host, but Spark gives partitions to hosts in any order: hosts
 * count in the order of their first partitions, and within a host partitions ascend.
 *
 * @param hosts      of the nodes, as Spark names them.
 * @param partitions of the tasks of each node.
 */
record TaskPlaces(List<String> hosts, List<List<Integer>> partitions)
{
    /** Places of tasks at {@code host:port} of their executors, by partition. */
    static TaskPlaces of(final List<String> addresses)
    {
        final Map<String, List<Integer>> partitionsOfHosts = new LinkedHashMap<>();
        for (int partition = 0; partition < addresses.size(); partition++)
        {
            final String address = addresses.get(partition);
            final int colon = address.lastIndexOf(':');
            partitionsOfHosts.computeIfAbsent(colon < 0 ? address : address.substring(0, colon),
                (host) -> new ArrayList<>()).add(partition);
        }

        return new TaskPlaces(List.copyOf(partitionsOfHosts.keySet()), List.copyOf(partitionsOfHosts.values()));
    }

    int rankOf(final int partition)
    {
        return partitions.stream().flatMap(List::stream).toList().indexOf(partition);
    }

    /** Partition of rank 0, which is 0. */
    int firstPartition()
    {
        return partitions.get(0).get(0);
    }

    WorldConfig world()
    {
        return new WorldConfig(partitions.stream().map(List::size).toList());
    }
}
