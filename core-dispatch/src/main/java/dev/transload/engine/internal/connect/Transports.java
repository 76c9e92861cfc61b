/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.connect;

import dev.transload.engine.EngineConfig;
import dev.transload.engine.PayloadConfig;
import dev.transload.engine.StagingMode;
import dev.transload.engine.internal.world.Stage;
import dev.transload.spi.Capabilities;
import dev.transload.spi.ConfigurationException;
import dev.transload.spi.MemoryKind;
import dev.transload.spi.Transport;
import dev.transload.spi.TransportException;
import dev.transload.spi.TransportProvider;
import dev.transload.spi.TransportRegistry;
import dev.transload.spi.Worker;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * The transports of an engine's stages, which its context has opened, and the engine's workers of them. Stages that
 * name one transport share one instance; a world of one node has no scale-out transport.
 */
public final class Transports implements AutoCloseable
{
    /** What all offsets and lengths of the engine are multiples of, in bytes. */
    private static final int OFFSET_ALIGNMENT = 4;

    private final EngineConfig config;
    private final SharedTransports context;
    private final Consumer<TransportException> errors;
    private final int workers;
    private final SharedTransport scaleOut;
    private final SharedTransport scaleUp;
    private final List<SharedTransport> distinct = new ArrayList<>();
    /** First worker of each of them. */
    private final List<Integer> firstWorkers = new ArrayList<>();
    private final boolean isStaged;

    /**
     * Of an engine; opens what is not open yet.
     *
     * @param workers that it has of each transport.
     * @param errors  told of failures that no operation reports; what was reported before at once.
     */
    public Transports(
        final EngineConfig config, final EngineScope scope, final int workers,
        final Consumer<TransportException> errors)
    {
        this.config = config;
        this.context = scope.context();
        this.errors = errors;
        this.workers = workers;
        refuseUnknownSections(context.registry());
        this.scaleUp = open(config.scaleUp().transport());
        this.scaleOut = 1 == config.nodes() ? null :
            config.scaleOut().transport().equals(config.scaleUp().transport()) ? scaleUp :
            open(config.scaleOut().transport());
        this.isStaged = needsStaging(config.payload(), scaleUp.transport(), transport(scaleOut));
        try
        {
            take(scaleUp);
            if (null != scaleOut && !isShared())
            {
                take(scaleOut);
            }
        }
        catch (final RuntimeException ex)
        {
            close();
            throw ex;
        }
    }

    private void take(final SharedTransport transport)
    {
        final int first = transport.takeWorkers(workers);
        if (first < 0)
        {
            final Capabilities offered = transport.transport().capabilities();
            final int taken = transport.takenWorkers();
            throw new ConfigurationException("transload.threads.count = " + workers + " is not allowed: transport " +
                offered.transport() + " opens at most " + offered.maxWorkers() + " workers" +
                (0 == taken ? "" : ", " + taken + " of which other engines of the TransportContext have"));
        }

        distinct.add(transport);
        firstWorkers.add(first);
        transport.subscribe(errors);
    }

    private static Transport transport(final SharedTransport shared)
    {
        return null == shared ? null : shared.transport();
    }

    /**
     * Transport of a stage.
     *
     * @return transport, null for the scale-out stage of a world of one node.
     */
    public Transport of(final Stage stage)
    {
        return transport(Stage.SCALE_OUT == stage ? scaleOut : scaleUp);
    }

    /** Whether both stages use one instance. */
    public boolean isShared()
    {
        return scaleOut == scaleUp;
    }

    /**
     * Whether rows that change nodes are copied to host memory and back, since the scale-out transport does not move
     * the payload's kind, or shall not.
     */
    public boolean isStaged()
    {
        return isStaged;
    }

    /**
     * For rows that change nodes by the scale-out transport alone.
     *
     * @throws ConfigurationException if they are staged although the settings forbid it.
     */
    public void requireAllowedStaging()
    {
        if (isStaged && StagingMode.NEVER == config.payload().staging())
        {
            throw new ConfigurationException("rows in " + config.payloadKind() + " memory would be staged through " +
                "host memory between nodes, which transload.payload.staging = never forbids: transport " +
                transport(scaleOut).capabilities().transport() + " (scale-out) moves " + kinds(transport(scaleOut)));
        }
    }

    /**
     * Whether a stage's transport takes memory of a kind here: staged rows meet the one between nodes in host memory
     * only.
     *
     * @param stage with a transport.
     * @param kind  of memory.
     */
    public boolean moves(final Stage stage, final MemoryKind kind)
    {
        return of(stage).capabilities().kinds().contains(kind) &&
            (kind.isHost() || !isStaged || Stage.SCALE_OUT != stage);
    }

    /** Distinct transports. */
    public List<Transport> distinct()
    {
        return distinct.stream().map(SharedTransport::transport).toList();
    }

    /**
     * Open a worker.
     *
     * @param transport one of {@link #distinct()}.
     * @param index     among this engine's workers.
     * @return worker, to be closed before this is.
     */
    public Worker openWorker(final Transport transport, final int index)
    {
        return transport.openWorker(firstWorkers.get(distinct().indexOf(transport)) + index);
    }

    /**
     * Open a worker beside the engine's own.
     *
     * @param owner closes it, and gives its place back.
     * @return an open worker of the scale-up stage's transport.
     * @throws IllegalStateException if all of them are taken.
     */
    Worker openWorker(final Resources owner)
    {
        final int index = scaleUp.takeWorkers(1);
        if (index < 0)
        {
            final Capabilities offered = scaleUp.transport().capabilities();
            throw new IllegalStateException("transport " + offered.transport() + " opens at most " +
                offered.maxWorkers() + " workers, which engines' threads have: copies between device memory and the " +
                "JVM need one more, set transload.threads.count lower");
        }

        owner.add(() -> scaleUp.returnWorkers(index, 1));
        return owner.add(scaleUp.transport().openWorker(index));
    }

    /**
     * What the stages can do.
     *
     * @return scale-out (the scale-up one where there is none), scale-up.
     */
    public List<Capabilities> capabilities()
    {
        return List.of((null == scaleOut ? scaleUp : scaleOut).transport().capabilities(),
            scaleUp.transport().capabilities());
    }

    /** Give workers back, which are closed; the context closes the transports. */
    @Override
    public void close()
    {
        for (int i = 0; i < distinct.size(); i++)
        {
            distinct.get(i).unsubscribe(errors);
            distinct.get(i).returnWorkers(firstWorkers.get(i), workers);
        }
    }

    private SharedTransport open(final String name)
    {
        final TransportProvider provider = context.registry().provider(name);
        final SharedTransport transport = context.transport(provider, options(provider), config.livenessTimeout());
        requireEnough(transport.transport().capabilities());
        return transport;
    }

    /** A transport of devices is told the payload's. */
    private Map<String, String> options(final TransportProvider provider)
    {
        final Map<String, String> options = new HashMap<>(config.optionsOf(provider.name()));
        if (!config.payloadKind().isHost())
        {
            PayloadConfig.tellDevice(provider, options, config.device());
        }

        return options;
    }

    private static boolean needsStaging(final PayloadConfig payload, final Transport up, final Transport out)
    {
        final MemoryKind kind = payload.kind();
        requireKind(kind, up);
        if (null == out || out.capabilities().kinds().contains(kind) &&
            (kind.isHost() || StagingMode.ALWAYS != payload.staging()))
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

    private static void requireEnough(final Capabilities offered)
    {
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
