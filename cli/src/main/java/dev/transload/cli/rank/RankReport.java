/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.rank;

import dev.transload.cli.input.TokenName;
import dev.transload.engine.EngineConfig;
import dev.transload.engine.StageConfig;
import dev.transload.engine.StageConfig.PassedOver;
import dev.transload.engine.TokenRoute;
import dev.transload.spi.Capabilities;
import dev.transload.spi.Capability;
import dev.transload.spi.MemoryKind;
import java.util.Arrays;
import java.util.List;

/**
 * What one rank found. A warm-up is no part of the iterations.
 *
 * @param rank                  own number.
 * @param processId             of its process; ranks may share one.
 * @param host                  name of the host it runs on.
 * @param tokens                sent in each iteration.
 * @param rows                  received in each iteration, padding included.
 * @param channels              C.
 * @param isExpertMajor         order of received rows.
 * @param verified              iterations that were verified, those of the warm-up included.
 * @param failure               what verification found, null when verified.
 * @param dispatchNs            by iteration.
 * @param combineNs             by iteration.
 * @param lapNs                 by iteration, from its start to that of the next one; of the last, to its end.
 * @param interrupted           iterations that did not follow another one directly: before or in them this rank
 *                              prepared or verified something.
 * @param dispatchScaleOutBytes of all iterations.
 * @param dispatchScaleUpBytes  of all iterations.
 * @param combineScaleOutBytes  of all iterations.
 * @param combineScaleUpBytes   of all iterations.
 * @param allocatedBytes        by the threads of the process that run the engine, an iteration once warm; not a
 *                              number where none was warm before a signal ended the run.
 * @param processor             time used by the process, an iteration once warm.
 * @param roles                 time of each kind of role.
 * @param waitNsPerRank         by source rank, over all iterations.
 * @param waits                 of the engine's threads for ranks, over all iterations.
 * @param transports            of the scale-out and the scale-up stage.
 * @param payloadKind           memory kind of the rows.
 * @param device                ordinal of its device, 0 for host memory.
 * @param memcpyBytesPerSecond  0 on ranks that did not measure it.
 * @param masked                ranks that this one went on without, which only low latency does.
 * @param maskedAfter           calls that it had ended when it noticed each of these, warm-up included.
 * @param steps                 who does the steps of low-latency calls, null in the other mode.
 * @param token                 what its tables say of the token asked for, null where none is.
 * @param resumedAt             iterations that the ranks had made in earlier worlds, before lost ranks were started
 *                              again; the report is of those after them.
 */
public record RankReport(
    int rank,
    long processId,
    String host,
    int tokens,
    int rows,
    int channels,
    boolean isExpertMajor,
    int verified,
    String failure,
    long[] dispatchNs,
    long[] combineNs,
    long[] lapNs,
    int[] interrupted,
    long dispatchScaleOutBytes,
    long dispatchScaleUpBytes,
    long combineScaleOutBytes,
    long combineScaleUpBytes,
    double allocatedBytes,
    ProcessorReport processor,
    List<RoleReport> roles,
    long[] waitNsPerRank,
    List<WaitReport> waits,
    List<TransportReport> transports,
    String payloadKind,
    int device,
    double memcpyBytesPerSecond,
    int[] masked,
    int[] maskedAfter,
    String steps,
    TokenReport token,
    int resumedAt)
{
    /**
     * The report of the first calls alone, where another rank has made no more before a signal ended the run. Bytes are
     * those of all of its calls by their part, since all calls put as many.
     *
     * @param calls  at most as many as there are, at least 1.
     * @param memcpy bytes a second, which no rank came to measure.
     * @return report.
     */
    public RankReport first(final int calls, final double memcpy)
    {
        final int all = dispatchNs.length;
        return new RankReport(rank, processId, host, tokens, rows, channels, isExpertMajor, verified, failure,
            Arrays.copyOf(dispatchNs, calls), Arrays.copyOf(combineNs, calls), Arrays.copyOf(lapNs, calls),
            Arrays.stream(interrupted).filter((call) -> call < calls).toArray(),
            dispatchScaleOutBytes * calls / all, dispatchScaleUpBytes * calls / all,
            combineScaleOutBytes * calls / all, combineScaleUpBytes * calls / all, allocatedBytes, processor, roles,
            waitNsPerRank, waits, transports, payloadKind, device, memcpy, masked, maskedAfter, steps,
            token, resumedAt);
    }

    /**
     * What the tables of a rank say of a token.
     *
     * @param name   of the token.
     * @param node   of the rank.
     * @param source what its source rank knows, null on others.
     * @param relay  what the relay of one of its streams knows, null on others.
     * @param output what a rank that got it knows, null on others.
     */
    public record TokenReport(
        TokenName name, int node, TokenRoute.Source source, TokenRoute.Relay relay, TokenRoute.Output output)
    {
    }

    /**
     * Processor time of a process in an iteration.
     *
     * @param threadsNs of the threads that run Java: of the engine, the transports, and the caller.
     * @param processNs of all threads: also of the compilers and the collector, which a long run needs ever less.
     */
    public record ProcessorReport(double threadsNs, double processNs)
    {
        /** Not measured, since the run ended before. */
        public static final ProcessorReport UNKNOWN = new ProcessorReport(Double.NaN, Double.NaN);
    }

    /**
     * Time of one kind of role.
     *
     * @param role   name.
     * @param busyNs doing work.
     * @param waitNs finding nothing to do while a call was under way.
     */
    public record RoleReport(String role, long busyNs, long waitNs)
    {
    }

    /**
     * Time in which engine threads waited for a counter.
     *
     * @param call    {@code dispatch} or {@code combine}.
     * @param rank    that must move the counter.
     * @param counter name.
     * @param ns      summed over the threads.
     */
    public record WaitReport(String call, int rank, String counter, long ns)
    {
    }

    /**
     * The transport of a stage.
     *
     * @param name       of the provider.
     * @param version    of it and its library.
     * @param kinds      memory kinds.
     * @param isEmulated whether its device is an emulation.
     * @param passedOver transports that were preferred to it, which are not available.
     */
    public record TransportReport(
        String name, String version, List<String> kinds, boolean isEmulated, List<PassedOver> passedOver)
    {
        /**
         * Of both stages.
         *
         * @param open   scale-out (the scale-up one in a world of one node), scale-up.
         * @param config of the engine that opened them.
         * @return reports in this order.
         */
        public static List<TransportReport> of(final List<Capabilities> open, final EngineConfig config)
        {
            final StageConfig up = config.scaleUp();
            return List.of(of(open.get(0), 1 == config.nodes() ? up : config.scaleOut()), of(open.get(1), up));
        }

        private static TransportReport of(final Capabilities transport, final StageConfig stage)
        {
            final List<String> kinds = transport.kinds().stream().map(MemoryKind::name).sorted().toList();
            return new TransportReport(transport.transport(), transport.version(), kinds,
                transport.has(Capability.EMULATED), stage.passedOver());
        }
    }
}
