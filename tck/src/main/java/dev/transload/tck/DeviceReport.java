/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.tck;

import dev.transload.tck.ConformanceReport.Status;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Results of device checks.
 *
 * @param facts  description of the devices' software and hardware.
 * @param links  one link for each ordered pair of ranks.
 * @param checks results of the checks in the order of their execution.
 */
public record DeviceReport(Map<String, String> facts, List<Link> links, List<Check> checks)
{
    /**
     * Connection from one rank to another.
     *
     * @param from      ordinal of the writing rank's device.
     * @param to        ordinal of the receiving rank's device.
     * @param word      vendor's name of the connection.
     * @param reachable true if channels can be connected.
     * @param reason    reason why channels can or cannot be connected.
     * @param gbps      rate of large puts in GB/s, 0 if not measured.
     */
    public record Link(int from, int to, String word, boolean reachable, String reason, double gbps)
    {
    }

    /**
     * Outcome of one check.
     *
     * @param name       name of the check.
     * @param status     result of the check.
     * @param reason     description of the check, or the reason why it failed or was skipped.
     * @param durationNs duration of the check in nanoseconds.
     * @param figures    measured values by name; each name ends with its unit.
     */
    public record Check(String name, Status status, String reason, long durationNs, Map<String, Double> figures)
    {
    }

    /** Creates a report with copies of all arguments; the order is kept. */
    public DeviceReport
    {
        facts = Collections.unmodifiableMap(new LinkedHashMap<>(facts));
        links = List.copyOf(links);
        checks = List.copyOf(checks);
    }

    /**
     * Returns the names of checks with a given result.
     *
     * @param status result to look for.
     * @return names in the order of execution.
     */
    public List<String> names(final Status status)
    {
        return checks.stream().filter((check) -> status == check.status()).map(Check::name).toList();
    }
}
