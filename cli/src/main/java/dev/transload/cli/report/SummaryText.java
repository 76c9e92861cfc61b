/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.report;

import dev.transload.cli.launch.RanksResult.Restart;
import dev.transload.cli.outcome.Counted;
import dev.transload.cli.rank.RankReport;
import dev.transload.cli.rank.RankReport.RoleReport;
import dev.transload.cli.rank.RankReport.TransportReport;
import java.util.Locale;
import java.util.StringJoiner;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The summary for people. */
public final class SummaryText
{
    /** Stands above figures that were measured with an emulator. */
    public static final String NO_SPEED = "figures of an emulator, which tell nothing of a device's speed";

    private static final double NS_PER_MS = 1e6;
    private static final double BYTES_PER_MB = 1e6;

    private final StringBuilder text = new StringBuilder();

    private SummaryText()
    {
    }

    public static String of(final Summary summary)
    {
        final SummaryText text = new SummaryText();
        text.head(summary);
        text.calls(summary);
        if (!summary.roles().isEmpty())
        {
            text.roles(summary);
        }

        text.ranks(summary);
        TokenJourney.of(summary).ifPresent(text::token);
        text.line(summary.isVerified() ? verified(summary) : "NOT VERIFIED: " + summary.failures().get(0));
        return text.text.toString();
    }

    /** Of how many iterations it is said comes first. */
    private static String verified(final Summary summary)
    {
        final int all = summary.allIterations();
        return "verified: " + summary.verifiedIterations() + " of " + all + (1 == all ? " iteration" : " iterations") +
            (0 == summary.header().warmup() ? "" : ", warm-up included") +
            ": every row, count, weight and sum is what the reference says, bit for bit (" +
            summary.header().answers() + " answers)";
    }

    private void head(final Summary summary)
    {
        final RunHeader header = summary.header();
        if (null != header.planned())
        {
            line("INTERRUPTED: figures are of the first %d of %s", header.iterations(),
                Counted.of(header.planned(), "iteration"));
        }

        for (final Restart restart : summary.restarts())
        {
            line("restarted: %s; %s", restart.cause(), Double.isNaN(restart.seconds()) ?
                "the ranks had not met again" :
                String.format(Locale.ROOT, "all ranks met again after %.1f s", restart.seconds()));
        }

        if (!summary.restarts().isEmpty())
        {
            line("figures are of the %s after the first %d", Counted.of(summary.allIterations(), "iteration"),
                summary.resumedAt());
        }

        final RankReport first = summary.ranks().get(0);
        line("%s, %s, %s rows", header.world(),
            Counted.of(first.channels(), "channel"), first.isExpertMajor() ? "expert-major" : "rank-major");
        if (null != header.lowLatency())
        {
            line("low latency: %s of at most %s a rank", Counted.of(header.lowLatency().calls(), "call"),
                Counted.of(header.lowLatency().maxTokens(), "token"));
        }

        line("%s (%s), hidden %d, %s, top-%d of %s%s", Counted.of(summary.tokens(), "token"), header.origin(),
            header.hidden(), header.dtype(), header.topk(), Counted.of(header.experts(), "expert"),
            header.experts() == header.paddedExperts() ? "" : " padded to " + header.paddedExperts());
        line("%s received%s%s", Counted.of(summary.rows(), "row"),
            1 == header.iterations() ? "" : " in each of " + header.iterations() + " iterations",
            0 == header.warmup() ? "" : " after a warm-up of " + header.warmup());
        line("scale-out: %s", describe(summary.scaleOut()));
        line("scale-up:  %s", describe(summary.scaleUp()));
        Stream.of(summary.scaleOut(), summary.scaleUp()).flatMap((stage) -> stage.passedOver().stream()).distinct()
            .forEach((passed) -> line("passed over: %s", passed));
        if (!summary.isHostPayload())
        {
            line("payload:   %s memory, %s%s", first.payloadKind(), devices(summary),
                summary.isEmulated() ? ", emulated" : "");
        }

        line(summary.isEmulated() ? NO_SPEED : "");
    }

    private void calls(final Summary summary)
    {
        line("%-10s %12s %12s %12s %14s %8s %14s %8s", "slowest", "min us", "median us", "p99 us", "scale-out MB",
            "GB/s", "scale-up MB", "GB/s");
        call("dispatch", summary.dispatch());
        call("combine", summary.combine());
        line("%-10s %12.1f %12.1f %12.1f", "both", summary.iteration().minMicros(),
            summary.iteration().medianMicros(), summary.iteration().p99Micros());
        if (summary.dispatch().counted() < summary.dispatch().slowestNs().length)
        {
            line("times are of %d iterations: before or in the others, a rank verified one",
                summary.dispatch().counted());
        }

        final boolean isSingle = 1 == summary.dispatch().slowestNs().length;
        final boolean isCold = isSingle && 0 == summary.header().warmup();
        if (!isSingle)
        {
            final WallFigures wall = summary.wall();
            line("wall time: %.1f us %s, from start to start over %d of them (%.1f to %.1f in parts)",
                wall.meanMicros(), null == summary.header().lowLatency() ? "an iteration" : "a call",
                wall.iterations(), wall.leastMicros(), wall.greatestMicros());
        }

        line("memcpy, cold, one thread: %.1f GB/s; %s", summary.memcpyGBps(), isCold ?
            "one iteration in cold JVMs: --iterations 20 shows steady figures" :
            Double.isNaN(summary.allocated()) ? "interrupted before heap was measured" :
            String.format(Locale.ROOT, "allocated by threads that run the engine: %.0f bytes an iteration",
                summary.allocated()));
        line("");
    }

    private void call(final String name, final CallFigures call)
    {
        line("%-10s %12.1f %12.1f %12.1f %14.2f %8.2f %14.2f %8.2f", name, call.minMicros(), call.medianMicros(),
            call.p99Micros(), call.scaleOutBytes() / BYTES_PER_MB, call.scaleOutGBps(),
            call.scaleUpBytes() / BYTES_PER_MB, call.scaleUpGBps());
    }

    private void roles(final Summary summary)
    {
        line("%-24s %12s %12s", "role (all ranks)", "busy ms", "waiting ms");
        for (final RoleReport role : summary.roles().values())
        {
            line("%-24s %12.2f %12.2f", role.role(), role.busyNs() / NS_PER_MS, role.waitNs() / NS_PER_MS);
        }

        line("");
    }

    private void ranks(final Summary summary)
    {
        line("%-6s %10s %10s   %s", "rank", "tokens", "rows", "waited most for");
        for (final RankReport rank : summary.ranks())
        {
            final int mostly = Summary.waitedMostFor(rank);
            line("%-6d %10d %10d   %s", rank.rank(), rank.tokens(), rank.rows(), mostly < 0 ? "nobody" :
                String.format(Locale.ROOT, "rank %d (%.2f ms)", mostly, rank.waitNsPerRank()[mostly] / NS_PER_MS));
        }

        summary.masked().forEach((lost, by) -> line("rank %d was masked by %s", lost, by.stream()
            .map((rank) -> "rank " + rank).collect(Collectors.joining(", "))));
        line("");
    }

    /** Nothing in its lines is a format. */
    private void token(final TokenJourney journey)
    {
        TokenText.of(journey).forEach((part) -> line("%s", part));
        line("");
    }

    /** Who is on which device, and once that a device has several. */
    private static String devices(final Summary summary)
    {
        final StringJoiner places = new StringJoiner(", ");
        summary.ranks().forEach((rank) -> places.add("rank " + rank.rank() + " on device " + rank.device()));
        final long shared = summary.sharedDevices();
        return places + (0 == shared ? "" : "; ranks share " + shared + (1 == shared ? " device" : " devices"));
    }

    private static String describe(final TransportReport transport)
    {
        return transport.name() + ", " + transport.version() + ", memory " + String.join(" ", transport.kinds()) +
            (transport.isEmulated() ? ", emulated" : "");
    }

    private void line(final String format, final Object... values)
    {
        text.append(0 == values.length ? format : String.format(Locale.ROOT, format, values))
            .append(System.lineSeparator());
    }
}
