/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.doctor;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.transload.cli.doctor.Finding.Status;
import dev.transload.cli.launch.SharedMemory;
import dev.transload.cli.outcome.ExitCodes;
import dev.transload.cli.outcome.Outcome;
import dev.transload.cli.program.BuildInfo;
import dev.transload.cli.program.CommonOptions;
import dev.transload.cli.run.RoutingOptions;
import dev.transload.cli.run.WorldOptions;
import dev.transload.cli.run.WorldSettings;
import dev.transload.cli.settings.Settings;
import dev.transload.engine.EngineConfig;
import dev.transload.engine.KernelRegistry;
import dev.transload.engine.StageConfig;
import dev.transload.kernels.host.HostRowKernelsProvider;
import dev.transload.rendezvous.LaunchEnvironment;
import dev.transload.spi.MemoryKind;
import dev.transload.spi.TransportConfig;
import dev.transload.spi.TransportRegistry;
import dev.transload.spi.TransportUnavailableException;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The command {@code doctor}. */
@Command(name = "doctor", mixinStandardHelpOptions = true, description = {
    "Check whether ranks can run on this machine.",
    "The report lists what ranks need, the path that rows would take in each stage, and what to change." })
public final class DoctorCommand implements Callable<Integer>
{
    private static final ObjectMapper JSON = new ObjectMapper();

    private final Map<String, String> environment;

    @Mixin
    private CommonOptions common;

    @Option(names = "--nodes", paramLabel = "N", description = "number of nodes; without a launcher, all ranks are " +
        "on this host (default 2, or as a launcher says)")
    private String nodes;

    @Option(names = "--ranks-per-node", paramLabel = "G", description = "number of ranks of each node (default 2, " +
        "or as a launcher says)")
    private String ranksPerNode;

    @Option(names = "--scale-out", paramLabel = "NAME", description = WorldOptions.SCALE_OUT)
    private String scaleOut;

    @Option(names = "--scale-up", paramLabel = "NAME", description = WorldOptions.SCALE_UP)
    private String scaleUp;

    /** In the environment of this process. */
    public DoctorCommand()
    {
        this(System.getenv());
    }

    DoctorCommand(final Map<String, String> environment)
    {
        this.environment = environment;
    }

    /** Ranks that a launcher started on one host all examine it; the first of them tells. */
    @Override
    public Integer call() throws JsonProcessingException
    {
        final TransportRegistry registry = TransportRegistry.discover();
        final Optional<LaunchEnvironment> launched = LaunchEnvironment.detect(environment);
        final Settings settings = WorldSettings.of(common.settings(chosen()), launched);
        final EngineConfig given = settings.engine();
        final List<Finding> findings = new ArrayList<>();
        findings.add(Finding.ok("java", Runtime.version() + ", " + System.getProperty("os.arch")));
        addLibraryOfC(findings);
        final String kernels = HostRowKernelsProvider.portableBecause();
        findings.add(null == kernels ? Finding.ok("row-kernels", "native") : Finding.warn("row-kernels",
            "portable: " + kernels, "sums and casts of host memory are slower so, with the same bits"));
        findings.addAll(Natives.findings());
        findings.addAll(new Machine(Path.of("/"), Runtime.getRuntime().availableProcessors(), SharedMemory::freeBytes)
            .findings(WorldSettings.ranksHere(launched, given.world())));
        addHops(given, registry, findings);
        if (launched.isEmpty() || 0 == launched.get().localRank())
        {
            common.print(common.isJson() ? JSON.writerWithDefaultPrettyPrinter().writeValueAsString(json(findings)) +
                System.lineSeparator() : text(findings));
        }

        final List<String> failed =
            findings.stream().filter((finding) -> Status.FAIL == finding.status()).map(Finding::name).toList();
        return failed.isEmpty() ? ExitCodes.DONE : common.end(Outcome.of(ExitCodes.UNAVAILABLE,
            "ranks with these settings cannot run here: see " + String.join(", ", failed)));
    }

    private Map<String, String> chosen()
    {
        final Map<String, String> keys = new HashMap<>();
        RoutingOptions.put(keys, WorldSettings.NODES, nodes);
        RoutingOptions.put(keys, WorldSettings.RANKS_PER_NODE, ranksPerNode);
        RoutingOptions.put(keys, "transload.scale-out.transport", scaleOut);
        RoutingOptions.put(keys, "transload.scale-up.transport", scaleUp);
        return keys;
    }

    private static void addHops(
        final EngineConfig given, final TransportRegistry registry, final List<Finding> findings)
    {
        final EngineConfig config;
        try
        {
            config = given.resolve(registry);
        }
        catch (final TransportUnavailableException ex)
        {
            findings.add(Finding.fail("transports", ex.getMessage(),
                "or add one to choose from; transload transports lists them"));
            return;
        }

        final MemoryKind payload = config.payload().isAuto() ?
            KernelRegistry.discover().kindOf(config.scaleUp().transport()) : config.payloadKind();
        // The scale-up transport first, which opens the driver that the other one finds.
        final Hops.Named up = named(registry, config, config.scaleUp());
        findings.addAll(new Hops(payload, config.payload().staging(), config.world().nodes(),
            named(registry, config, config.scaleOut()), up).findings());
    }

    private static Hops.Named named(
        final TransportRegistry registry, final EngineConfig config, final StageConfig stage)
    {
        final String name = stage.transport();
        return new Hops.Named(name, registry.provider(name).probe(
            TransportConfig.builder().options(config.optionsOf(name)).build()), stage.passedOver());
    }

    /** Natives need the library of C that they were linked to, or a newer one; other systems have no such program. */
    private static void addLibraryOfC(final List<Finding> findings)
    {
        try
        {
            final Process asked =
                new ProcessBuilder("getconf", "GNU_LIBC_VERSION").redirectErrorStream(true).start();
            try (BufferedReader said = asked.inputReader())
            {
                final String line = said.readLine();
                findings.add(null != line && line.startsWith("glibc") ? Finding.ok("libc", line) :
                    Finding.warn("libc", "no glibc", "native libraries of the jars need glibc 2.17 or " +
                        "newer; lines below say which of them are missed"));
            }
        }
        catch (final IOException ex)
        {
            findings.add(Finding.warn("libc", "unknown: " + ex.getMessage(), "native libraries of the jars need " +
                "glibc 2.17 or newer"));
        }
    }

    static String text(final List<Finding> findings)
    {
        final StringBuilder text = new StringBuilder();
        for (final Finding finding : findings)
        {
            text.append(String.format("%-5s %-18s %s%n", word(finding.status()), finding.name(), finding.found()));
            if (!finding.advice().isEmpty())
            {
                text.append(String.format("%-24s %s%n", "", finding.advice()));
            }
        }

        return text.toString();
    }

    static ObjectNode json(final List<Finding> findings)
    {
        final ObjectNode root = JSON.createObjectNode();
        root.set("build", BuildInfo.own().json());
        root.put("usable", findings.stream().noneMatch((finding) -> Status.FAIL == finding.status()));
        final ArrayNode list = root.putArray("findings");
        findings.forEach((finding) -> list.addObject().put("name", finding.name())
            .put("status", word(finding.status())).put("found", finding.found()).put("advice", finding.advice()));
        return root;
    }

    private static String word(final Status status)
    {
        return status.name().toLowerCase(Locale.ROOT);
    }
}
