/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine;

import dev.transload.kernels.RowKernels;
import dev.transload.kernels.RowKernelsProvider;
import dev.transload.spi.ConfigurationException;
import dev.transload.spi.MemoryKind;
import dev.transload.spi.ServiceProviders;
import dev.transload.spi.TransportUnavailableException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The row kernels found on the class path, by memory kind. */
public final class KernelRegistry
{
    private static final Logger LOGGER = LoggerFactory.getLogger(KernelRegistry.class);

    private final List<RowKernelsProvider> providers;
    private final List<String> refused;

    private KernelRegistry(
        final Collection<? extends RowKernelsProvider> providers, final Collection<String> refused)
    {
        this.providers = List.copyOf(providers);
        this.refused = List.copyOf(refused);
    }

    /**
     * Finds providers of row kernels with the calling thread's context class loader. This method logs each provider
     * that fails to load. If row kernels are needed later but not found, the message of the resulting exception names
     * these providers too.
     *
     * @return registry of the providers found.
     */
    public static KernelRegistry discover()
    {
        final List<RowKernelsProvider> found = new ArrayList<>();
        final List<String> refused = ServiceProviders.visit(RowKernelsProvider.class, (provider) ->
        {
            // Those of an older interface fail here, and not in the middle of an opening.
            Objects.requireNonNull(provider.kind(), "kind");
            Objects.requireNonNull(provider.section(), "section");
            found.add(provider);
        });
        refused.forEach((reason) -> LOGGER.warn("a provider of row kernels is refused: {}", reason));
        return new KernelRegistry(found, refused);
    }

    /**
     * Creates a registry of given providers.
     *
     * @param providers providers, at most one for each memory kind.
     * @return registry.
     */
    public static KernelRegistry of(final Collection<? extends RowKernelsProvider> providers)
    {
        return new KernelRegistry(providers, List.of());
    }

    /**
     * Returns the memory kind whose row kernels come with a transport.
     *
     * @param transport name of the transport.
     * @return memory kind; {@link MemoryKind#HOST} if no row kernels come with the transport.
     * @throws ConfigurationException if kernels for several kinds come with the transport.
     */
    public MemoryKind kindOf(final String transport)
    {
        final List<MemoryKind> kinds = providers.stream()
            .filter((provider) -> transport.equals(provider.section()))
            .map(RowKernelsProvider::kind).filter((kind) -> !kind.isHost()).toList();
        if (kinds.size() > 1)
        {
            throw new ConfigurationException("transload.payload.kind = auto is not allowed: transport " + transport +
                " brings kernels for " + kinds + ", one of them must be chosen");
        }

        return kinds.isEmpty() ? MemoryKind.HOST : kinds.get(0);
    }

    /**
     * Returns the number of devices of the payload's kind.
     *
     * @param config settings of the engine.
     * @return number of devices that this process can use.
     * @throws TransportUnavailableException if the kind has no row kernels, or its row kernels do not run on this host.
     */
    public int devices(final EngineConfig config)
    {
        final RowKernelsProvider provider = provider(config, config.payloadKind());
        return provider.devices(config.optionsOf(provider.section()));
    }

    /**
     * Opens row kernels for the payload's kind and device.
     *
     * @param config settings of an open engine.
     * @return row kernels.
     * @throws TransportUnavailableException if the kind has no row kernels, or its row kernels do not run on this host.
     */
    public RowKernels open(final EngineConfig config)
    {
        final RowKernelsProvider provider = provider(config, config.payloadKind());
        return provider.open(
            deviceOf(config.payloadKind(), config.device()), launching(config), config.optionsOf(provider.section()));
    }

    /**
     * Threads whose kernels run at the same time. Within a node these are the forwarders' in a dispatch and the
     * receivers' in a combine; between nodes senders launch as well.
     */
    static int launching(final EngineConfig config)
    {
        final List<Integer> roles = config.threading().roles();
        if (roles.isEmpty() && config.threads() <= config.channels())
        {
            return Math.max(1, config.threads());
        }

        final int senders = roles.isEmpty() ? 1 : Math.min(roles.get(0), config.channels());
        final int forwarders = roles.isEmpty() ? 1 : Math.min(roles.get(2), config.channels());
        final int receivers = roles.isEmpty() ? 1 : Math.min(roles.get(4), config.channels());
        return 1 == config.nodes() ? Math.max(forwarders, receivers) : senders + forwarders + receivers;
    }

    /**
     * Opens row kernels for the payload's kind and device, with options that reduce the latency of short calls.
     *
     * @param config settings of an open low-latency engine.
     * @return row kernels, which no other engine uses.
     * @throws TransportUnavailableException if the kind has no row kernels, or its row kernels do not run on this host.
     */
    public RowKernels openForLatency(final EngineConfig config)
    {
        final RowKernelsProvider provider = provider(config, config.payloadKind());
        final Map<String, String> options = new HashMap<>(provider.latencyOptions());
        options.putAll(config.optionsOf(provider.section()));
        return provider.open(deviceOf(config.payloadKind(), config.device()), options);
    }

    /**
     * Returns the provider of row kernels for a kind of memory, if these kernels run on this host.
     *
     * @param config settings, which include the options of the kernels.
     * @param kind   kind of memory.
     * @return provider; empty if the kind has no provider, or if the kernels do not run on this host.
     */
    public Optional<RowKernelsProvider> available(final EngineConfig config, final MemoryKind kind)
    {
        return providers.stream().filter((provider) -> provider.kind().equals(kind) &&
            null == provider.unavailableBecause(config.optionsOf(provider.section()))).findFirst();
    }

    private static int deviceOf(final MemoryKind kind, final int device)
    {
        return kind.isHost() ? 0 : device;
    }

    /**
     * Opens row kernels for a kind of memory.
     *
     * @param config settings, which include the options of the kernels.
     * @param kind   kind of memory.
     * @param device ordinal of the device, ignored for host memory.
     * @return row kernels.
     * @throws TransportUnavailableException if the kind has no row kernels, or its row kernels do not run on this host.
     */
    public RowKernels open(final EngineConfig config, final MemoryKind kind, final int device)
    {
        final RowKernelsProvider provider = provider(config, kind);
        return provider.open(deviceOf(kind, device), config.optionsOf(provider.section()));
    }

    private RowKernelsProvider provider(final EngineConfig config, final MemoryKind kind)
    {
        for (final RowKernelsProvider provider : providers)
        {
            if (provider.kind().equals(kind))
            {
                final String reason = provider.unavailableBecause(config.optionsOf(provider.section()));
                if (null != reason)
                {
                    throw new TransportUnavailableException("row kernels of " + kind + " memory: " + reason, null);
                }

                return provider;
            }
        }

        throw new TransportUnavailableException("no row kernels for " + kind +
            " memory are on the class path: add the jar that brings them" +
            refused.stream().map((reason) -> "; a provider is refused: " + reason).collect(Collectors.joining()),
            null);
    }
}
