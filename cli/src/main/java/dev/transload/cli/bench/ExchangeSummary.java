/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.bench;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.transload.cli.bench.ExchangePattern.Traffic;
import dev.transload.cli.bench.ExchangeReport.Latency;
import dev.transload.cli.bench.ExchangeReport.Rate;
import dev.transload.cli.bench.ExchangeReport.Waits;
import dev.transload.cli.outcome.Counted;
import dev.transload.cli.program.BuildInfo;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Reports of all ranks together: as text, CSV and JSON. */
final class ExchangeSummary
{
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final double RATE_DIGITS = 1e6;
    private static final double DIGITS = 1e3;
    private static final double NS_PER_MICRO = 1e3;
    private static final double PERCENT = 100;
    private static final String[] PERCENTILES = { "p50", "p90", "p99", "max" };

    private final ExchangeTask task;
    private final List<ExchangeReport> ranks;
    private final List<Line> lines = new ArrayList<>();

    /**
     * Puts of one size. Rates are medians over the rounds, in bytes a nanosecond.
     *
     * @param rate    of the first sender.
     * @param mean    of the senders.
     * @param slowest of the senders.
     * @param total   of all senders together.
     * @param limit   mean of the senders.
     * @param waits   of all ranks.
     */
    private record Line(Rate rate, double mean, double slowest, double total, double limit, Waits waits)
    {
        double ofLimit()
        {
            return mean / limit;
        }
    }

    ExchangeSummary(final ExchangeTask task, final List<JsonNode> reports)
    {
        this.task = task;
        this.ranks = reports.stream().map(ExchangeSummary::parse).toList();
        double stream = Double.NaN;
        Traffic traffic = null;
        for (int i = 0; i < ranks.get(0).rates().size(); i++)
        {
            final Line line = line(i, stream);
            final boolean isStream = isByStream() && traffic != line.rate.traffic();
            traffic = line.rate.traffic();
            stream = isStream ? line.mean : stream;
            // The stream is no result, only what results are compared with.
            if (!isStream)
            {
                lines.add(line);
            }
        }
    }

    private static ExchangeReport parse(final JsonNode report)
    {
        try
        {
            return JSON.treeToValue(report, ExchangeReport.class);
        }
        catch (final JsonProcessingException ex)
        {
            throw new IllegalStateException("a rank's report cannot be read", ex);
        }
    }

    private Line line(final int index, final double stream)
    {
        final List<Double> rates = new ArrayList<>();
        final List<Double> limits = new ArrayList<>();
        Waits waits = new Waits(0, 0, 0, 0);
        Rate first = null;
        for (final ExchangeReport rank : ranks)
        {
            final Rate rate = rank.rates().get(index);
            waits = waits.plus(rate.waits());
            if (rate.puts() > 0)
            {
                first = null == first ? rate : first;
                rates.add((double)rate.puts() * rate.bytes() / median(rate.ns()));
                limits.add(0 == rate.limitNs().length ? stream :
                    (double)rate.puts() * rate.bytes() / median(rate.limitNs()));
            }
        }

        final double total = rates.stream().mapToDouble(Double::doubleValue).sum();
        return new Line(first, total / rates.size(),
            rates.stream().mapToDouble(Double::doubleValue).min().orElseThrow(), total,
            limits.stream().mapToDouble(Double::doubleValue).average().orElseThrow(), waits);
    }

    /** What a rank could move at most: the limit beside the last puts, bytes a nanosecond. */
    double limit()
    {
        return lines.get(lines.size() - 1).limit;
    }

    String limitName()
    {
        return ranks.get(0).limit();
    }

    ExchangeReport first()
    {
        return ranks.get(0);
    }

    long hosts()
    {
        return ranks.stream().map(ExchangeReport::host).distinct().count();
    }

    static long median(final long[] values)
    {
        final long[] sorted = values.clone();
        Arrays.sort(sorted);
        return Math.max(1, sorted[sorted.length / 2]);
    }

    private boolean isByStream()
    {
        return ExchangeReport.STREAM.equals(ranks.get(0).limit());
    }

    /** Of the slowest pair, percentile by percentile. */
    private double slowest(final int index, final String percentile)
    {
        return ranks.stream().filter((rank) -> !rank.latencies().isEmpty())
            .mapToDouble((rank) -> rank.latencies().get(index).micros().get(percentile).asDouble()).max().orElseThrow();
    }

    private List<Latency> latencies()
    {
        return ranks.get(0).latencies();
    }

    private Waits waits()
    {
        return lines.stream().map(Line::waits).reduce(Waits::plus).orElseThrow();
    }

    private Line best()
    {
        return lines.stream().reduce((a, b) -> b.mean > a.mean ? b : a).orElseThrow();
    }

    String text()
    {
        final ExchangeReport first = ranks.get(0);
        final StringBuilder text = new StringBuilder();
        BenchCommand.line(text, "%s, %s%s, %s memory, %s on %s, %s, window %d%s", task.transport(), first.version(),
            first.emulated() ? ", emulated" : "", first.memoryKind(), Counted.of(ranks.size(), "rank"),
            Counted.of(hosts(), "host"), task.pattern(), task.window(), task.check() ? ", all bytes checked" : "");
        BenchCommand.line(text,
            "bytes are those of the puts; what the transport adds to them on the wire is not counted");
        BenchCommand.line(text, "%-12s %10s %10s %10s %10s %14s %10s %12s", "GB/s of puts", "bytes", "a rank",
            "slowest", "all ranks", first.limit() + " GB/s", "of limit", "million/s");
        lines.forEach((line) -> BenchCommand.line(text, "%-12s %10d %10.4f %10.4f %10.4f %14.4f %10.4f %12.4f",
            line.rate.traffic(), line.rate.bytes(), line.mean, line.slowest, line.total, line.limit, line.ofLimit(),
            DIGITS * line.mean / line.rate.bytes()));
        if (!latencies().isEmpty())
        {
            BenchCommand.line(text, "%-12s %10s %10s %10s %10s %10s", "one way, us", "bytes", "p50", "p90", "p99",
                "max");
            for (int i = 0; i < latencies().size(); i++)
            {
                BenchCommand.line(text, "%-12s %10d %10.3f %10.3f %10.3f %10.3f", "slowest pair",
                    latencies().get(i).bytes(), slowest(i, PERCENTILES[0]), slowest(i, PERCENTILES[1]),
                    slowest(i, PERCENTILES[2]), slowest(i, PERCENTILES[3]));
            }
        }

        account(text);
        return text.toString();
    }

    private void account(final StringBuilder text)
    {
        final Line best = best();
        final Waits waits = waits();
        final double whole = Math.max(1, waits.sumNs()) / PERCENT;
        BenchCommand.line(text, "account: at best %.3f GB/s a rank (%s, %d bytes), %.2f of %s (%.3f GB/s)", best.mean,
            best.rate.traffic(), best.rate.bytes(), best.ofLimit(),
            isByStream() ? "a stream of large puts between the same ranks" : "a copy in memory", best.limit);
        BenchCommand.line(text, "account: of the time of all ranks, %.0f %% posting puts, %.0f %% refused for want " +
            "of room, %.0f %% waiting for delivery, %.0f %% waiting for other ranks", waits.postingNs() / whole,
            waits.refusedNs() / whole, waits.deliveryNs() / whole, waits.peersNs() / whole);
    }

    String csv()
    {
        final StringBuilder text = new StringBuilder();
        BenchCommand.line(text, "transport,ranks,hosts,pattern,window,traffic,bytes,GBps,slowest_GBps,total_GBps," +
            "limit,limit_GBps,of_limit,million_per_second,p50_micros,p90_micros,p99_micros,max_micros");
        final String common = task.transport() + ',' + ranks.size() + ',' + hosts() + ',' + task.pattern() + ',' +
            task.window();
        lines.forEach((line) -> BenchCommand.line(text, "%s,%s,%d,%.6f,%.6f,%.6f,%s,%.6f,%.6f,%.6f,,,,", common,
            line.rate.traffic(), line.rate.bytes(), line.mean, line.slowest, line.total, ranks.get(0).limit(),
            line.limit, line.ofLimit(), DIGITS * line.mean / line.rate.bytes()));
        for (int i = 0; i < latencies().size(); i++)
        {
            BenchCommand.line(text, "%s,put-signal-seen,%d,,,,,,,,%.3f,%.3f,%.3f,%.3f", common,
                latencies().get(i).bytes(), slowest(i, PERCENTILES[0]), slowest(i, PERCENTILES[1]),
                slowest(i, PERCENTILES[2]), slowest(i, PERCENTILES[3]));
        }

        return text.toString();
    }

    ObjectNode json()
    {
        final ExchangeReport first = ranks.get(0);
        final ObjectNode root = JSON.createObjectNode().put("transport", task.transport())
            .put("version", first.version()).put("emulated", first.emulated()).put("memory_kind", first.memoryKind())
            .put("pattern", task.pattern().toString()).put("window", task.window()).put("checked", task.check())
            .put("area_bytes", first.areaBytes()).put("limit", first.limit());
        root.set("build", BuildInfo.own().json());
        ranks.forEach((rank) -> root.withArray("ranks").addObject().put("rank", rank.rank()).put("host", rank.host())
            .put("pid", rank.processId()));
        lines.forEach((line) -> putWaits(root.withArray("results").addObject()
            .put("traffic", line.rate.traffic().toString()).put("bytes", line.rate.bytes())
            .put("puts", line.rate.puts()).put("rounds", line.rate.ns().length).put("GBps", rate(line.mean))
            .put("slowest_GBps", rate(line.slowest)).put("total_GBps", rate(line.total))
            .put("limit_GBps", rate(line.limit)).put("of_limit", rate(line.ofLimit()))
            .put("million_per_second", rate(DIGITS * line.mean / line.rate.bytes())).putObject("waits"),
            line.waits));
        for (int i = 0; i < latencies().size(); i++)
        {
            final ObjectNode latency = root.withArray("latencies").addObject().put("bytes", latencies().get(i).bytes())
                .put("trips", latencies().get(i).trips());
            final ObjectNode micros = latency.putObject("micros");
            for (final String percentile : PERCENTILES)
            {
                micros.put(percentile, slowest(i, percentile));
            }
        }

        final ObjectNode account = root.putObject("account").put("best_GBps", rate(best().mean))
            .put("best_bytes", best().rate.bytes()).put("best_traffic", best().rate.traffic().toString())
            .put("of_limit", rate(best().ofLimit()));
        putWaits(account.putObject("waits"), waits());
        return root;
    }

    private static void putWaits(final ObjectNode node, final Waits waits)
    {
        node.put("posting_micros", micros(waits.postingNs())).put("refused_micros", micros(waits.refusedNs()))
            .put("delivery_micros", micros(waits.deliveryNs())).put("peers_micros", micros(waits.peersNs()));
    }

    private static double micros(final long ns)
    {
        return Math.round(ns / NS_PER_MICRO * DIGITS) / DIGITS;
    }

    private static double rate(final double value)
    {
        return Math.round(value * RATE_DIGITS) / RATE_DIGITS;
    }
}
