/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.report;

import dev.transload.cli.launch.RanksResult.Restart;
import dev.transload.cli.rank.RankReport;
import dev.transload.cli.rank.RankReport.ProcessorReport;
import dev.transload.cli.rank.RankReport.RoleReport;
import dev.transload.cli.rank.RankReport.TransportReport;
import dev.transload.spi.MemoryKind;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;

/**
 * What a run found.
 *
 * @param header     of the run.
 * @param isVerified on all ranks.
 * @param failures   sentences of the ranks that are not verified.
 * @param scaleOut   transport between nodes.
 * @param scaleUp    transport within nodes.
 * @param tokens     of all ranks in one iteration.
 * @param rows       received by all ranks in one iteration, padding included.
 * @param dispatch   figures.
 * @param combine    figures.
 * @param iteration  times of a dispatch and its combine together. A rank that is ahead waits in its next call, so that
 *                   the slowest rank's time of each iteration counts that waiting again: see {@code wall}.
 * @param wall       time of iterations on end, waiting counted once.
 * @param memcpyGBps of one thread of rank 0, cold.
 * @param allocated  bytes that the threads which run the engines of all ranks allocate in an iteration once warm.
 * @param processor  time that all processes use in an iteration once warm.
 * @param roles      summed over ranks, by name.
 * @param ranks      reports by rank, of those that are left at the end.
 * @param restarts   of lost ranks; all figures are of the iterations after the last of them.
 */
public record Summary(
    RunHeader header,
    boolean isVerified,
    List<String> failures,
    TransportReport scaleOut,
    TransportReport scaleUp,
    long tokens,
    long rows,
    CallFigures dispatch,
    CallFigures combine,
    CallFigures iteration,
    WallFigures wall,
    double memcpyGBps,
    double allocated,
    ProcessorReport processor,
    Map<String, RoleReport> roles,
    List<RankReport> ranks,
    List<Restart> restarts)
{
    private static final double BYTES_PER_GB = 1e9;

    /**
     * Sum up.
     *
     * @param header of the run.
     * @param ranks  reports by rank, of equally many iterations.
     * @return summary.
     */
    public static Summary of(final RunHeader header, final List<RankReport> ranks)
    {
        return of(header, ranks, List.of());
    }

    /**
     * Sum up a run in which lost ranks were started again.
     *
     * @param header   of the run.
     * @param ranks    reports by rank, of equally many iterations.
     * @param restarts of ranks.
     * @return summary.
     */
    public static Summary of(final RunHeader header, final List<RankReport> ranks, final List<Restart> restarts)
    {
        final List<String> failures =
            ranks.stream().map(RankReport::failure).filter((failure) -> null != failure).toList();
        final List<TransportReport> transports = ranks.get(0).transports();
        return new Summary(
            header, failures.isEmpty(), failures, transports.get(0), transports.get(transports.size() - 1),
            sum(ranks, RankReport::tokens), sum(ranks, RankReport::rows),
            figures(ranks, RankReport::dispatchNs, RankReport::dispatchScaleOutBytes, RankReport::dispatchScaleUpBytes),
            figures(ranks, RankReport::combineNs, RankReport::combineScaleOutBytes, RankReport::combineScaleUpBytes),
            figures(ranks, Summary::iterationNs, (rank) -> 0, (rank) -> 0),
            WallFigures.of(ranks.stream().map(RankReport::lapNs).toList(), interrupted(ranks)),
            ranks.get(0).memcpyBytesPerSecond() / BYTES_PER_GB, allocated(ranks), processor(ranks), roles(ranks),
            ranks, restarts);
    }

    /** Iterations that were verified on every rank, those of the warm-up included. */
    public int verifiedIterations()
    {
        return ranks.stream().mapToInt(RankReport::verified).min().orElseThrow();
    }

    /** Numbers of the iterations that figures of calls are of. */
    public int[] countedIterations()
    {
        return CallFigures.counted(0, ranks.get(0).dispatchNs().length, interrupted(ranks));
    }

    /** Iterations that were made before lost ranks were last started again, those of the warm-up included. */
    public int resumedAt()
    {
        return ranks.get(0).resumedAt();
    }

    /** Iterations that were made, those of the warm-up included. */
    public int allIterations()
    {
        return header.warmup() + header.iterations();
    }

    /**
     * Whether rows were in host memory.
     *
     * @return false for those of a device.
     */
    public boolean isHostPayload()
    {
        return MemoryKind.HOST.name().equals(ranks.get(0).payloadKind());
    }

    /**
     * Whether a device was an emulation.
     *
     * @return true if a transport of either stage says so.
     */
    public boolean isEmulated()
    {
        return scaleOut.isEmulated() || scaleUp.isEmulated();
    }

    /** Devices that several ranks are on. */
    public long sharedDevices()
    {
        return ranks.stream().collect(Collectors.groupingBy(
            (rank) -> rank.host() + "/" + rank.device(), Collectors.counting()))
            .values().stream().filter((count) -> count > 1).count();
    }

    /** Ranks that others went on without. */
    public SortedMap<Integer, List<Integer>> masked()
    {
        final SortedMap<Integer, List<Integer>> masked = new TreeMap<>();
        ranks.forEach((rank) -> Arrays.stream(rank.masked())
            .forEach((lost) -> masked.computeIfAbsent(lost, (number) -> new ArrayList<>()).add(rank.rank())));
        return masked;
    }

    /**
     * Whom a rank waited for most.
     *
     * @param report of the rank.
     * @return another rank, or −1 when it waited for none.
     */
    public static int waitedMostFor(final RankReport report)
    {
        int most = -1;
        for (int source = 0; source < report.waitNsPerRank().length; source++)
        {
            final long wait = report.waitNsPerRank()[source];
            if (source != report.rank() && wait > 0 && (most < 0 || wait > report.waitNsPerRank()[most]))
            {
                most = source;
            }
        }

        return most;
    }

    private static long[] iterationNs(final RankReport rank)
    {
        final long[] both = rank.dispatchNs().clone();
        for (int i = 0; i < both.length; i++)
        {
            both[i] += rank.combineNs()[i];
        }

        return both;
    }

    private static CallFigures figures(
        final List<RankReport> ranks,
        final Function<RankReport, long[]> samples,
        final ToLongFunction<RankReport> scaleOut,
        final ToLongFunction<RankReport> scaleUp)
    {
        final long[] slowest = new long[samples.apply(ranks.get(0)).length];
        for (final RankReport rank : ranks)
        {
            for (int i = 0; i < slowest.length; i++)
            {
                slowest[i] = Math.max(slowest[i], samples.apply(rank)[i]);
            }
        }

        return CallFigures.of(slowest, interrupted(ranks), sum(ranks, scaleOut) / slowest.length,
            sum(ranks, scaleUp) / slowest.length);
    }

    /** Iterations before or in which one of these ranks did something else. */
    static BitSet interrupted(final List<RankReport> ranks)
    {
        final BitSet interrupted = new BitSet();
        ranks.forEach((rank) -> Arrays.stream(rank.interrupted()).forEach(interrupted::set));
        return interrupted;
    }

    private static double allocated(final List<RankReport> ranks)
    {
        return ofProcesses(ranks, RankReport::allocatedBytes);
    }

    private static ProcessorReport processor(final List<RankReport> ranks)
    {
        return new ProcessorReport(
            ofProcesses(ranks, (rank) -> rank.processor().threadsNs()),
            ofProcesses(ranks, (rank) -> rank.processor().processNs()));
    }

    /** Ranks that share a process each counted all of its threads. */
    private static double ofProcesses(final List<RankReport> ranks, final ToDoubleFunction<RankReport> figure)
    {
        final Map<String, Double> byProcess = new TreeMap<>();
        ranks.forEach((rank) ->
            byProcess.merge(rank.host() + "/" + rank.processId(), figure.applyAsDouble(rank), Math::max));
        return byProcess.values().stream().mapToDouble(Double::doubleValue).sum();
    }

    private static Map<String, RoleReport> roles(final List<RankReport> ranks)
    {
        final Map<String, RoleReport> sums = new LinkedHashMap<>();
        for (final RankReport rank : ranks)
        {
            rank.roles().forEach((role) -> sums.merge(role.role(), role, (a, b) ->
                new RoleReport(a.role(), a.busyNs() + b.busyNs(), a.waitNs() + b.waitNs())));
        }

        return sums;
    }

    private static long sum(final List<RankReport> ranks, final ToLongFunction<RankReport> figure)
    {
        return ranks.stream().mapToLong(figure).sum();
    }
}
