/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.connect;

import dev.transload.engine.EngineConfig;
import dev.transload.engine.PayloadConfig;
import dev.transload.engine.World;
import dev.transload.engine.world.Stage;
import dev.transload.spi.Capabilities;
import dev.transload.spi.ConfigurationException;
import dev.transload.spi.MemoryKind;
import dev.transload.spi.Transport;
import dev.transload.spi.TransportConfig;
import dev.transload.spi.TransportException;
import dev.transload.spi.TransportProvider;
import dev.transload.spi.TransportRegistry;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * The open transports of the stages. Stages that name one transport share one instance; a world of one node opens no
 * scale-out transport.
 */
public final class Transports implements AutoCloseable
{
    /** What all offsets and lengths of the engine are multiples of, in bytes. */
    private static final int OFFSET_ALIGNMENT = 4;

    private final Transport scaleOut;
    private final Transport scaleUp;
    private final EngineConfig config;
    private final boolean isStaged;

    /**
     * Open.
     *
     * @param config       settings.
     * @param world        place of this rank.
     * @param incarnation  of this rank.
     * @param registry     of transports.
     * @param errorHandler for failures that no operation reports.
     */
    public Transports(
        final EngineConfig config, final World world, final long incarnation, final TransportRegistry registry,
        final Consumer<TransportException> errorHandler)
    {
        this.config = config;
        refuseUnknownSections(registry);
        this.scaleUp = open(config.scaleUp().transport(), world, incarnation, registry, errorHandler);
        Transport out = null;
        try
        {
            out = openScaleOut(world, incarnation, registry, errorHandler);
            this.isStaged = needsStaging(config.payloadKind(), scaleUp, out);
        }
        catch (final RuntimeException ex)
        {
            scaleUp.close();
            if (null != out)
            {
                out.close();
            }

            throw ex;
        }

        this.scaleOut = out;
    }

    /**
     * Transport of a stage.
     *
     * @param stage asked for.
     * @return transport, null for the scale-out stage of a world of one node.
     */
    public Transport of(final Stage stage)
    {
        return Stage.SCALE_OUT == stage ? scaleOut : scaleUp;
    }

    /**
     * Whether both stages use one instance.
     *
     * @return true if shared.
     */
    public boolean isShared()
    {
        return scaleOut == scaleUp;
    }

    /**
     * Whether rows that change nodes are copied to host memory and back, since the scale-out transport does not move
     * the payload's kind.
     *
     * @return true if so.
     */
    public boolean isStaged()
    {
        return isStaged;
    }

    /**
     * Distinct transports.
     *
     * @return one or two.
     */
    public List<Transport> distinct()
    {
        final List<Transport> transports = new ArrayList<>();
        transports.add(scaleUp);
        if (null != scaleOut && !isShared())
        {
            transports.add(scaleOut);
        }

        return transports;
    }

    /**
     * What the stages can do.
     *
     * @return scale-out (the scale-up one where there is none), scale-up.
     */
    public List<Capabilities> capabilities()
    {
        return List.of((null == scaleOut ? scaleUp : scaleOut).capabilities(), scaleUp.capabilities());
    }

    @Override
    public void close()
    {
        for (final Transport transport : distinct())
        {
            transport.close();
        }
    }

    private Transport openScaleOut(
        final World world, final long incarnation, final TransportRegistry registry,
        final Consumer<TransportException> errorHandler)
    {
        if (1 == world.nodes())
        {
            return null;
        }

        return config.scaleOut().transport().equals(config.scaleUp().transport()) ?
            scaleUp : open(config.scaleOut().transport(), world, incarnation, registry, errorHandler);
    }

    private Transport open(
        final String name, final World world, final long incarnation, final TransportRegistry registry,
        final Consumer<TransportException> errorHandler)
    {
        final TransportProvider provider = registry.provider(name);
        final Transport transport = provider.open(TransportConfig.builder()
            .rank(world.rank())
            .worldSize(world.size())
            .incarnation(incarnation)
            .livenessTimeoutNs(config.livenessTimeout().toNanos())
            .options(options(provider))
            .errorHandler(errorHandler)
            .build());
        try
        {
            requireEnough(transport.capabilities());
        }
        catch (final ConfigurationException ex)
        {
            transport.close();
            throw ex;
        }

        return transport;
    }

    /** A transport that is bound to one device is told which, unless its section does. */
    private Map<String, String> options(final TransportProvider provider)
    {
        final Map<String, String> options = new HashMap<>(config.optionsOf(provider.name()));
        if (!config.payloadKind().isHost() &&
            provider.options().stream().anyMatch((option) -> PayloadConfig.DEVICE_OPTION.equals(option.key())))
        {
            options.putIfAbsent(PayloadConfig.DEVICE_OPTION, String.valueOf(config.device()));
        }

        return options;
    }

    private static boolean needsStaging(final MemoryKind kind, final Transport up, final Transport out)
    {
        requireKind(kind, up);
        if (null == out || out.capabilities().kinds().contains(kind))
        {
            return false;
        }

        if (kind.isHost())
        {
            requireKind(kind, out);
        }

        for (final Transport transport : List.of(up, out))
        {
            if (!transport.capabilities().kinds().contains(MemoryKind.HOST))
            {
                throw new ConfigurationException("rows in " + kind + " memory (transload.payload.kind) cannot go " +
                    "between transports " + up.capabilities().transport() + " (scale-up), which moves " + kinds(up) +
                    ", and " + out.capabilities().transport() + " (scale-out), which moves " + kinds(out) +
                    ": both must move " + kind + ", or both HOST to stage rows in");
            }
        }

        return true;
    }

    private static void requireKind(final MemoryKind kind, final Transport transport)
    {
        if (!transport.capabilities().kinds().contains(kind))
        {
            throw new ConfigurationException("transport " + transport.capabilities().transport() + " cannot move " +
                kind + " memory (transload.payload.kind): it moves " + kinds(transport));
        }
    }

    private static List<String> kinds(final Transport transport)
    {
        return transport.capabilities().kinds().stream().map(MemoryKind::name).sorted().toList();
    }

    private void requireEnough(final Capabilities offered)
    {
        if (offered.maxWorkers() < config.threads())
        {
            throw new ConfigurationException("transload.threads.count = " + config.threads() +
                " is not allowed: transport " + offered.transport() + " opens at most " + offered.maxWorkers() +
                " workers");
        }

        if (offered.maxPutLength() < offered.maxRegionLength())
        {
            throw new ConfigurationException("transport " + offered.transport() + " cannot be used: its longest put " +
                "has " + offered.maxPutLength() + " bytes, the engine needs puts of up to a whole region, here " +
                offered.maxRegionLength() + " bytes");
        }

        if (offered.offsetAlignment() > OFFSET_ALIGNMENT)
        {
            throw new ConfigurationException("transport " + offered.transport() + " cannot be used: it moves " +
                "multiples of " + offered.offsetAlignment() + " bytes, weights and scales of rows are multiples of " +
                OFFSET_ALIGNMENT);
        }
    }

    private void refuseUnknownSections(final TransportRegistry registry)
    {
        for (final String section : config.transportOptions().keySet())
        {
            if (registry.providers().stream().noneMatch((found) -> found.provider().name().equals(section)) &&
                registry.refused().stream().noneMatch((refused) -> refused.name().equals(section)))
            {
                throw new ConfigurationException("transload." + section +
                    " is neither a key nor the section of a transport: found are " +
                    String.join(", ", registry.providers().stream().map((found) -> found.provider().name()).toList()));
            }
        }
    }
}
