/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.bench;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.transload.cli.launch.LocalProcesses;
import dev.transload.cli.launch.OwnRank;
import dev.transload.cli.launch.Progress;
import dev.transload.cli.launch.ProgressBar;
import dev.transload.cli.launch.RankProcess;
import dev.transload.cli.launch.RankTask;
import dev.transload.cli.launch.RanksResult;
import dev.transload.cli.launch.SharedMemory;
import dev.transload.cli.outcome.CommandException;
import dev.transload.cli.outcome.Counted;
import dev.transload.cli.outcome.ExitCodes;
import dev.transload.cli.outcome.Outcome;
import dev.transload.cli.page.ReportFile;
import dev.transload.cli.program.CommonOptions;
import dev.transload.cli.report.SummaryText;
import dev.transload.cli.run.WorldOptions;
import dev.transload.cli.run.WorldSettings;
import dev.transload.cli.settings.Emulation;
import dev.transload.cli.settings.Settings;
import dev.transload.engine.KernelRegistry;
import dev.transload.rendezvous.LaunchEnvironment;
import dev.transload.spi.MemoryKind;
import dev.transload.spi.TransportRegistry;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** What a transport's operations cost between two processes of this machine. */
@Command(name = "bench", mixinStandardHelpOptions = true, description = {
    "Measure a transport, and compare it with a plain copy in memory or between devices.",
    "By default, two processes of this host measure put, putRows, atomicAdd, load, the time until the peer sees a " +
        "put, and low-latency calls. This moves gigabytes.",
    "A launcher, or an option from \"Options between ranks\" or \"Options of a world and its routing\", changes " +
        "what is measured. The command then measures puts between the ranks of a world, or calls of the engine by " +
        "these ranks." })
public final class BenchCommand implements Callable<Integer>
{
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final long MOST_BYTES = 128L << 20;
    private static final long MOST_DEVICE_BYTES = 512L << 20;

    /** An emulator's speed tells nothing; this has room for what a copy engine would carry. */
    private static final long EMULATED_BYTES = 16L << 20;
    private static final long LEAST_BYTES = 4L << 20;
    private static final long PAGE = 4096;
    private static final long STAGING_NS = 100_000_000;
    private static final int PAIR = 2;
    private static final int MOST_RANKS = 64;

    @Mixin
    private CommonOptions common;

    @Parameters(index = "0", paramLabel = "NAME", description = "name of the transport")
    private String transport;

    @Mixin
    private ExchangeOptions exchange;

    @Option(names = "--devices", paramLabel = "N", split = ",", description = "ordinals of devices, which ranks take " +
        "in turn")
    private List<Integer> devices = List.of();

    @Option(names = "--ranks", paramLabel = "P", description = "measure only low-latency calls, between P processes; " +
        "together with an option from \"Options between ranks\", P is the number of ranks of the world")
    private Integer asked;

    @Option(names = "--chunks", description = "measure only the cost of a signal after each of several large chunks")
    private boolean areChunks;

    @Option(names = "--staging",
        description = "measure only how rows to and from other nodes are staged, which means that the engine " +
        "copies them between device memory and host memory")
    private boolean areStaged;

    @Option(names = "--emulate", description = WorldOptions.EMULATE)
    private boolean isEmulated;

    @Option(names = "--report", paramLabel = "FILE", description = "write one HTML page with plots")
    private String report;

    @Override
    public Integer call() throws JsonProcessingException
    {
        final Optional<LaunchEnvironment> environment = exchange.environment(System.getenv());
        if (environment.isPresent() || exchange.isAsked())
        {
            return exchange(environment);
        }

        if (areStaged)
        {
            return staging();
        }

        final int ranks = ranks();
        if (null != asked && null != report)
        {
            throw CommandException.badInput("--report draws operations between two ranks: leave out --ranks " + ranks);
        }

        if (areChunks && (null != asked || null != report))
        {
            throw CommandException.badInput("--chunks measures one thing between two ranks: leave out " +
                (null != asked ? "--ranks " + asked : "--report " + report));
        }

        final ReportFile page = null == report ? null : ReportFile.at(report);
        final TransportRegistry registry = TransportRegistry.discover();
        registry.provider(transport);
        final Settings given = common.settings(Map.of(
            "transload.scale-out.transport", transport, "transload.scale-up.transport", transport,
            "transload.nodes", "1", "transload.ranks-per-node", String.valueOf(ranks)));
        final MemoryKind kind = KernelRegistry.discover().kindOf(transport);
        if (kind.isHost() && !devices.isEmpty())
        {
            throw CommandException.badInput("--devices: transport " + transport +
                " has none, its rows live in host memory");
        }

        final Settings chosen = isEmulated ? Emulation.apply(given, registry.providers(), Set.of(transport)) : given;
        final Settings settings = chosen.withDefaults(LowLatencyText.settings(ranks));
        final boolean hasRoom = !kind.isHost() || LowLatencyText.bytes(ranks) < SharedMemory.freeBytes() / 2;
        if (!areChunks && !hasRoom)
        {
            leaveCallsOut(ranks);
        }

        final RanksResult result = measure(settings, new BenchTask(
            transport, bytes(kind), devices, null == asked, areChunks, !areChunks && hasRoom));
        final ObjectNode figures = result.reports().isEmpty() ? null : (ObjectNode)result.reports().get(0);
        if (null == figures || ExitCodes.DONE != result.outcome().exitCode() && !result.isInterrupted())
        {
            return common.end(!result.isInterrupted() ? result.outcome() : Outcome.of(result.outcome().exitCode(),
                result.outcome().sentence() + " before anything was measured: there is no report"));
        }

        figures.put("interrupted", result.isInterrupted());
        print(figures, page);
        return !result.isInterrupted() ? ExitCodes.DONE : common.end(Outcome.of(result.outcome().exitCode(),
            result.outcome().sentence() + " before all was measured: the report is of what was"));
    }

    /** By one process, for a world of two nodes in which it is the only rank. */
    private int staging() throws JsonProcessingException
    {
        final String other = areChunks ? "--chunks" : null != asked ? "--ranks " + asked :
            null != report ? "--report " + report : devices.size() > 1 ? "all devices but one" : null;
        if (null != other)
        {
            throw CommandException.badInput("--staging measures one rank and its device: leave out " + other);
        }

        final TransportRegistry registry = TransportRegistry.discover();
        registry.provider(transport);
        if (KernelRegistry.discover().kindOf(transport).isHost())
        {
            throw CommandException.badInput("--staging: transport " + transport +
                " has no devices, its rows live in host memory");
        }

        final Map<String, String> keys = new HashMap<>(Map.of("transload.nodes", "2", "transload.ranks-per-node", "1",
            "transload.scale-up.transport", transport));
        devices.forEach((device) -> keys.put("transload.payload.device", String.valueOf(device)));
        final Settings given = common.settings(keys);
        final Settings settings =
            (isEmulated ? Emulation.apply(given, registry.providers(), Set.of(transport)) : given)
            .withDefaults(Map.of("transload.scale-out.transport", "aeron"));
        final RanksResult result;
        try (ProgressBar bar = ProgressBar.onTerminal())
        {
            result = new LocalProcesses(RankProcess.class.getName(), bar, common::chatter)
                .run(StagingRank.NAME, JSON.valueToTree(new StagingTask(transport, STAGING_NS)), settings, 1);
        }

        if (ExitCodes.DONE != result.outcome().exitCode() || result.reports().isEmpty())
        {
            return common.end(result.outcome());
        }

        final JsonNode figures = result.reports().get(0);
        common.print(common.isJson() ? figures.toPrettyString() + System.lineSeparator() : stagingText(figures));
        return ExitCodes.DONE;
    }

    static String stagingText(final JsonNode figures)
    {
        final StringBuilder text = new StringBuilder();
        line(text, "%s, %s%s, %s memory of device %d; %d channels, chunks of %d bytes, %d in a ring",
            figures.get("transport").asText(), figures.get("version").asText(),
            figures.get("emulated").asBoolean() ? ", emulated" : "", figures.get("memory_kind").asText(),
            figures.get("device").asInt(), figures.get("channels").asInt(), figures.get("chunk_bytes").asLong(),
            figures.get("chunks_of_ring").asInt());
        if (figures.get("emulated").asBoolean())
        {
            line(text, SummaryText.NO_SPEED);
        }

        line(text, "%-16s %12s %18s %16s", "staged", "GB/s each way", "copy engine GB/s", "of copy engine");
        figures.get("results").forEach((result) -> line(text, "%-16s %12.3f %18.3f %16.3f%s",
            result.get("direction").asText(), result.get("GBps").asDouble(),
            result.get("copy_engine_GBps").asDouble(), result.get("of_copy_engine").asDouble(),
            !result.has("of_one_way") ? "" : String.format(Locale.ROOT, "; %.3f of copy engines one way at a time",
            result.get("of_one_way").asDouble())));
        return text.toString();
    }

    /** Between the ranks of a world: each of them this process and others of its launcher, or processes of its own. */
    private int exchange(final Optional<LaunchEnvironment> environment)
    {
        if (areChunks || areStaged)
        {
            throw CommandException.badInput((areChunks ? "--chunks" : "--staging") + " is not allowed between the " +
                "ranks of a world: this command starts its own processes for it");
        }

        if (common.isJson() && exchange.isCsv())
        {
            throw CommandException.badInput("--csv is not allowed with --json: both are for standard output");
        }

        if (environment.isPresent() && null != asked)
        {
            throw CommandException.badInput("--ranks " + asked + " is not allowed: " + environment.get().describe());
        }

        final ReportFile page = null == report ? null : ReportFile.at(report);
        final TransportRegistry registry = TransportRegistry.discover();
        registry.provider(transport);
        final Map<String, String> keys = exchange.keys();
        if (null != asked)
        {
            keys.putAll(Map.of("transload.nodes", String.valueOf(ranks()), "transload.ranks-per-node", "1"));
        }

        keys.putAll(Map.of("transload.scale-out.transport", transport, "transload.scale-up.transport", transport));
        final Settings given = common.settings(keys);
        final Settings shaped = environment.isPresent() ? WorldSettings.of(given, environment) :
            given.withDefaults(Map.of("transload.nodes", "2", "transload.ranks-per-node", "1"));
        final Settings settings =
            isEmulated ? Emulation.apply(shaped, registry.providers(), Set.of(transport)) : shaped;
        return null == exchange.engineMode() ? puts(settings, environment, page) :
            calls(settings, environment, page);
    }

    private int puts(
        final Settings settings, final Optional<LaunchEnvironment> environment, final ReportFile page)
    {
        final ExchangeTask task = exchange.task(transport, devices, settings.engine().worldSize());
        final RanksResult result = run(new ExchangeRank(), settings, JSON.valueToTree(task), environment);
        if (ExitCodes.DONE != result.outcome().exitCode())
        {
            return common.end(result.outcome());
        }

        if (!result.reports().isEmpty())
        {
            final ExchangeSummary summary = new ExchangeSummary(task, result.reports());
            common.print(common.isJson() ? summary.json().toPrettyString() + System.lineSeparator() :
                exchange.isCsv() ? summary.csv() : summary.text());
            if (null != page)
            {
                page.write("Transload bench: " + transport + ", " + Counted.of(result.reports().size(), "rank") +
                    (isEmulated ? ", emulated" : ""), summary.json().put("page", "exchange"));
            }
        }

        return ExitCodes.DONE;
    }

    private int calls(
        final Settings given, final Optional<LaunchEnvironment> environment, final ReportFile page)
    {
        final EngineBench bench = EngineBench.prepare(exchange, transport, devices, given,
            WorldSettings.ranksHere(environment, given.engine().world()), environment.isEmpty());
        final RanksResult result =
            run(new EngineBenchRank(), bench.settings(), JSON.valueToTree(bench.task()), environment);
        if (ExitCodes.DONE != result.outcome().exitCode() || result.reports().isEmpty())
        {
            return ExitCodes.DONE == result.outcome().exitCode() ? ExitCodes.DONE : common.end(result.outcome());
        }

        final EngineBenchSummary summary = bench.summary(result.reports());
        common.print(common.isJson() ? summary.json().toPrettyString() + System.lineSeparator() :
            exchange.isCsv() ? summary.csv() : summary.text());
        if (null != page)
        {
            page.write("Transload bench: " + exchange.engineMode() + " over " + transport +
                (isEmulated ? ", emulated" : ""), summary.page());
        }

        return null == summary.failure() ? ExitCodes.DONE :
            common.end(Outcome.of(ExitCodes.FAILED, "verification failed: " + summary.failure()));
    }

    private RanksResult run(
        final RankTask rank, final Settings settings, final JsonNode task,
        final Optional<LaunchEnvironment> environment)
    {
        if (environment.isPresent())
        {
            common.leaveSignalsToOthers();
            return OwnRank.run(rank, task, settings, environment.get(), Progress.NONE);
        }

        try (ProgressBar bar = ProgressBar.onTerminal())
        {
            return new LocalProcesses(RankProcess.class.getName(), bar, common::chatter)
                .run(rank.getClass().getName(), task, settings, settings.engine().worldSize());
        }
    }

    private int ranks()
    {
        final int ranks = null == asked ? PAIR : asked;
        if (ranks < PAIR || ranks > MOST_RANKS)
        {
            throw CommandException.badInput(
                "--ranks " + ranks + " is not allowed: must be in [" + PAIR + ", " + MOST_RANKS + "]");
        }

        return ranks;
    }

    private void print(final ObjectNode figures, final ReportFile page) throws JsonProcessingException
    {
        common.print(common.isJson() ?
            JSON.writerWithDefaultPrettyPrinter().writeValueAsString(figures) + System.lineSeparator() :
            (figures.get("interrupted").asBoolean() ? "INTERRUPTED: the rest was not measured" +
                System.lineSeparator() : "") +
            (figures.has("results") ? text(figures) : "") + LowLatencyText.of(figures));
        if (null != page)
        {
            page.write("Transload bench: " + transport + (figures.get("emulated").asBoolean() ? ", emulated" : ""),
                figures.put("page", "bench"));
        }
    }

    private void leaveCallsOut(final int ranks)
    {
        final String need = "low-latency calls need " + (LowLatencyText.bytes(ranks) >> 20) +
            " MiB of shared memory, and as much must stay free";
        if (null != asked)
        {
            throw new CommandException(ExitCodes.UNAVAILABLE, need, null);
        }

        System.err.println(need + ": they are left out");
    }

    private long bytes(final MemoryKind kind)
    {
        if (kind.isHost())
        {
            // Both ranks have such a region, though only one is written to.
            return Math.max(LEAST_BYTES, Math.min(MOST_BYTES, SharedMemory.freeBytes() / 2 / 4 * 3) / PAGE * PAGE);
        }

        return isEmulated ? EMULATED_BYTES : MOST_DEVICE_BYTES;
    }

    private RanksResult measure(final Settings settings, final BenchTask task)
    {
        try (ProgressBar bar = ProgressBar.onTerminal())
        {
            return new LocalProcesses(RankProcess.class.getName(), bar, common::chatter)
                .run(BenchRank.NAME, JSON.valueToTree(task), settings, settings.engine().worldSize());
        }
    }

    static String text(final JsonNode figures)
    {
        final StringBuilder text = new StringBuilder();
        final String limit = figures.get("limit").asText();
        final String limitName = limit.replace('_', ' ');
        line(text, "%s, %s%s, %s, regions of %d MiB", figures.get("transport").asText(),
            figures.get("version").asText(), figures.get("emulated").asBoolean() ? ", emulated" : "",
            memory(figures), figures.get("region_bytes").asLong() >> 20);
        if (figures.get("emulated").asBoolean())
        {
            line(text, SummaryText.NO_SPEED);
        }

        if (has(figures, "GBps"))
        {
            operations(text, figures, limit, limitName);
        }

        if (has(figures, "micros"))
        {
            latencies(text, figures);
        }

        if (has(figures, "median_micros"))
        {
            chunks(text, figures);
        }

        return text.toString();
    }

    /** Whether anything was measured so; a signal may have come before. */
    private static boolean has(final JsonNode figures, final String measure)
    {
        return !figures.get("results").findValues(measure).isEmpty();
    }

    private static void operations(
        final StringBuilder text, final JsonNode figures, final String limit, final String limitName)
    {
        line(text, "%-26s %9s %10s %15s %12s", "operation", "bytes", "GB/s", limitName + " GB/s", "of " + limitName);
        figures.get("results").forEach((result) ->
        {
            if (result.has("GBps"))
            {
                line(text, "%-26s %9d %10.4f %15.3f %12.4f", operation(result), result.get("bytes").asInt(),
                    result.get("GBps").asDouble(), result.get(limit + "_GBps").asDouble(),
                    result.get("of_" + limit).asDouble());
            }
            else if (result.has("million_per_second"))
            {
                line(text, "%-26s %30.3f million a second", result.get("operation").asText(),
                    result.get("million_per_second").asDouble());
            }
        });
    }

    private static void latencies(final StringBuilder text, final JsonNode figures)
    {
        line(text, "%-26s %9s %10s %10s %10s %10s %10s", "one way, microseconds", "bytes", "p50", "p90", "p99", "p99.9",
            "max");
        figures.get("results").forEach((result) ->
        {
            if (result.has("micros"))
            {
                final JsonNode micros = result.get("micros");
                line(text, "%-26s %9d %10.3f %10.3f %10.3f %10.3f %10.3f", result.get("operation").asText(),
                    result.get("bytes").asInt(), micros.get("p50").asDouble(), micros.get("p90").asDouble(),
                    micros.get("p99").asDouble(), micros.get("p99_9").asDouble(), micros.get("max").asDouble());
            }
        });
    }

    private static void chunks(final StringBuilder text, final JsonNode figures)
    {
        line(text, "%-26s %9s %10s %10s", "together, microseconds", "bytes", "median", "of chunks");
        figures.get("results").forEach((result) ->
        {
            if (result.has("median_micros"))
            {
                line(text, "%-26s %9d %10.1f %10.3f", result.get("chunks").asInt() + " " +
                    result.get("operation").asText(), result.get("bytes").asInt(),
                    result.get("median_micros").asDouble(), result.get("of_chunks").asDouble());
            }
        });
    }

    private static String memory(final JsonNode figures)
    {
        final JsonNode ordinals = figures.get("devices");
        final String kind = figures.get("memory_kind").asText() + " memory";
        return null == ordinals ? kind : kind + " of devices " + ordinals.get(0) + " and " + ordinals.get(1);
    }

    private static String operation(final JsonNode result)
    {
        return result.get("operation").asText() +
            (result.has("chunk_rows") ? " by " + result.get("chunk_rows").asInt() : "");
    }

    static void line(final StringBuilder text, final String format, final Object... values)
    {
        text.append(String.format(Locale.ROOT, format, values)).append(System.lineSeparator());
    }
}
