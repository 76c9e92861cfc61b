/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.transports;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.transload.cli.outcome.ExitCodes;
import dev.transload.cli.program.BuildInfo;
import dev.transload.cli.program.CommonOptions;
import dev.transload.cli.settings.Settings;
import dev.transload.spi.Availability;
import dev.transload.spi.Capabilities;
import dev.transload.spi.Capability;
import dev.transload.spi.MemoryKind;
import dev.transload.spi.RegisteredProvider;
import dev.transload.spi.TransportConfig;
import dev.transload.spi.TransportRegistry;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** The command {@code transports}. */
@Command(name = "transports", mixinStandardHelpOptions = true, description = {
    "List all transports found.",
    "For each transport, print the jar that contains it. If the transport is available, also print what it runs " +
        "on and its capabilities. Otherwise, print why it is unavailable and how to change that." })
public final class TransportsCommand implements Callable<Integer>
{
    private static final ObjectMapper JSON = new ObjectMapper();

    @Mixin
    private CommonOptions common;

    @Override
    public Integer call() throws JsonProcessingException
    {
        final TransportRegistry registry = TransportRegistry.discover();
        final Settings settings = common.settings(Map.of());
        final List<Finding> findings = new ArrayList<>();
        for (final RegisteredProvider registered : registry.providers())
        {
            findings.add(probe(registered, settings.engine().optionsOf(registered.provider().name())));
        }

        registry.refused().forEach((refused) ->
            findings.add(new Finding(refused.name(), refused.jar(), null, "it is refused: " + refused.reason())));
        common.print(common.isJson() ?
            JSON.writerWithDefaultPrettyPrinter().writeValueAsString(json(findings)) + System.lineSeparator() :
            text(findings));
        return ExitCodes.DONE;
    }

    private static Finding probe(final RegisteredProvider registered, final Map<String, String> options)
    {
        final Availability availability =
            registered.provider().probe(TransportConfig.builder().options(options).build());
        final String name = registered.provider().name();
        return availability instanceof final Availability.Available available ?
            new Finding(name, registered.jar(), available.capabilities(), null) :
            new Finding(name, registered.jar(), null, ((Availability.Unavailable)availability).reason());
    }

    static String text(final List<Finding> findings)
    {
        final StringBuilder text = new StringBuilder();
        for (final Finding finding : findings)
        {
            text.append(finding.name())
                .append(finding.isAvailable() ? ": available" : ": unavailable because " + finding.reason())
                .append(System.lineSeparator());
            line(text, "jar", finding.jar());
            if (finding.isAvailable())
            {
                final Capabilities capabilities = finding.capabilities();
                line(text, "runs on", capabilities.version());
                line(text, "memory", String.join(" ", kinds(capabilities)));
                line(text, "offers", String.join(" ", optional(capabilities)));
                line(text, "atomics", capabilities.atomicScope().name());
                line(text, "emulated", capabilities.has(Capability.EMULATED) ? "yes" : "no");
                capabilities.notes().keySet().stream().map(MemoryKind::name).sorted().forEach((kind) ->
                    line(text, kind, capabilities.notes().get(new MemoryKind(kind))));
            }
        }

        return findings.isEmpty() ?
            "no transports found: add a transport's jar to the class path" + System.lineSeparator() : text.toString();
    }

    static ObjectNode json(final List<Finding> findings)
    {
        final ObjectNode root = JSON.createObjectNode();
        root.set("build", BuildInfo.own().json());
        final ArrayNode transports = root.putArray("transports");
        for (final Finding finding : findings)
        {
            final ObjectNode node = transports.addObject();
            node.put("name", finding.name()).put("jar", finding.jar()).put("available", finding.isAvailable());
            if (finding.isAvailable())
            {
                put(node, finding.capabilities());
            }
            else
            {
                node.put("reason", finding.reason());
            }
        }

        return root;
    }

    private static void put(final ObjectNode node, final Capabilities capabilities)
    {
        node.put("version", capabilities.version());
        node.put("emulated", capabilities.has(Capability.EMULATED));
        kinds(capabilities).forEach(node.putArray("memory_kinds")::add);
        optional(capabilities).forEach(node.putArray("capabilities")::add);
        node.put("atomic_scope", capabilities.atomicScope().name())
            .put("max_workers", capabilities.maxWorkers())
            .put("max_region_bytes", capabilities.maxRegionLength())
            .put("max_put_bytes", capabilities.maxPutLength())
            .put("offset_alignment", capabilities.offsetAlignment());
    }

    private static List<String> kinds(final Capabilities capabilities)
    {
        return capabilities.kinds().stream().map(MemoryKind::name).sorted().toList();
    }

    private static List<String> optional(final Capabilities capabilities)
    {
        return capabilities.optional().stream().sorted().map(Capability::name).toList();
    }

    private static void line(final StringBuilder text, final String name, final String value)
    {
        text.append(String.format("  %-10s%s%n", name, value));
    }
}
