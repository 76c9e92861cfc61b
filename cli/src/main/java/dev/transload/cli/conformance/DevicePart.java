/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.conformance;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.transload.tck.ConformanceReport.Status;
import dev.transload.tck.DeviceReport;
import dev.transload.tck.DeviceReport.Check;
import dev.transload.tck.DeviceReport.Link;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/** What devices showed, as text and as JSON. No line with a name or a figure leaves out on what it was seen. */
final class DevicePart
{
    private DevicePart()
    {
    }

    static String text(final DeviceReport report, final String platform)
    {
        final StringBuilder text = new StringBuilder();
        report.facts().forEach((name, value) -> text.append(String.format("%s %s: %s%n", platform, name, value)));
        for (final Link link : report.links())
        {
            text.append(String.format(Locale.ROOT, "%s link %d to %d: %s, %s%n", platform, link.from(), link.to(),
                link.word(), link.reachable() ? String.format(Locale.ROOT, "%.1f GB/s", link.gbps()) :
                "not reached because " + link.reason()));
        }

        for (final Check check : report.checks())
        {
            text.append(String.format(Locale.ROOT, "%s %-18s %-8s %.1f s  %s%s%n", platform, check.name(),
                ConformanceCommand.word(check.status()), seconds(check), check.reason().replaceAll("\\s+", " "),
                check.figures().isEmpty() ? "" : ": " + figures(check.figures())));
        }

        return text.append(String.format("%d checks of devices passed, %d failed, %d skipped, on %s%n",
            report.names(Status.PASSED).size(), report.names(Status.FAILED).size(),
            report.names(Status.SKIPPED).size(), platform)).toString();
    }

    static void put(final ObjectNode root, final DeviceReport report, final String platform)
    {
        root.put("device", platform);
        final ObjectNode facts = root.putObject("versions").put("device", platform);
        report.facts().forEach(facts::put);
        final ArrayNode matrix = root.putArray("matrix");
        for (final Link link : report.links())
        {
            matrix.addObject().put("device", platform).put("from", link.from()).put("to", link.to())
                .put("link", link.word()).put("reachable", link.reachable()).put("reason", link.reason())
                .put("GBps", link.gbps());
        }

        final ArrayNode checks = root.putArray("checks");
        for (final Check check : report.checks())
        {
            final ObjectNode figures = checks.addObject().put("device", platform).put("check", check.name())
                .put("status", ConformanceCommand.word(check.status())).put("reason", check.reason())
                .put("seconds", seconds(check)).putObject("figures");
            check.figures().forEach(figures::put);
        }
    }

    private static double seconds(final Check check)
    {
        return check.durationNs() / (double)TimeUnit.SECONDS.toNanos(1);
    }

    private static String figures(final Map<String, Double> figures)
    {
        return figures.entrySet().stream()
            .map((figure) -> String.format(Locale.ROOT, "%s %.1f", figure.getKey(), figure.getValue()))
            .collect(Collectors.joining(", "));
    }
}
