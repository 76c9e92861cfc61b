/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.tck;

import dev.transload.tck.ConformanceReport.Status;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What devices showed.
 *
 * @param facts  what they are driven by.
 * @param links  from each rank to each other one.
 * @param checks in the order in which they were made.
 */
public record DeviceReport(Map<String, String> facts, List<Link> links, List<Check> checks)
{
    /**
     * One direction between two ranks.
     *
     * @param from      ordinal of the device of the rank that writes.
     * @param to        ordinal of the device of the rank that is written to.
     * @param word      how the vendor calls what is between them.
     * @param reachable whether channels go there.
     * @param reason    of that verdict.
     * @param gbps      GB/s of large puts, 0 where there are none.
     */
    public record Link(int from, int to, String word, boolean reachable, String reason, double gbps)
    {
    }

    /**
     * Outcome of one check.
     *
     * @param name       of the check.
     * @param status     how it ended.
     * @param reason     what it did; or why it failed, or was skipped.
     * @param durationNs how long it took.
     * @param figures    by names that end with their units.
     */
    public record Check(String name, Status status, String reason, long durationNs, Map<String, Double> figures)
    {
    }

    /** Copies all of it, in its order. */
    public DeviceReport
    {
        facts = Collections.unmodifiableMap(new LinkedHashMap<>(facts));
        links = List.copyOf(links);
        checks = List.copyOf(checks);
    }

    /**
     * Names of checks that ended in one way.
     *
     * @param status asked for.
     * @return names, in order.
     */
    public List<String> names(final Status status)
    {
        return checks.stream().filter((check) -> status == check.status()).map(Check::name).toList();
    }
}
