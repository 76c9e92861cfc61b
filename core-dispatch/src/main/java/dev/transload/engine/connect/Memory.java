/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.connect;

import dev.transload.engine.EngineConfig;
import dev.transload.engine.Placement;
import dev.transload.engine.TensorMemory;
import dev.transload.engine.World;
import dev.transload.engine.world.Geometry;
import dev.transload.engine.world.Stage;
import dev.transload.rendezvous.Rendezvous;
import dev.transload.spi.Access;
import dev.transload.spi.Capability;
import dev.transload.spi.MemoryKind;
import dev.transload.spi.MemoryRegion;
import dev.transload.spi.SignalRegion;
import dev.transload.spi.Transport;
import dev.transload.spi.TransportException;
import dev.transload.spi.TransportRegistry;
import dev.transload.spi.TransportUnavailableException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Open transports, and all memory of the engine. */
public final class Memory
{
    private static final Logger LOGGER = LoggerFactory.getLogger(Memory.class);

    private final AtomicLong ids = new AtomicLong();
    private final Resources resources;
    private final Transports stages;
    private final ArenaMap map;
    private final Geometry geometry;
    private final HostCopies copies;
    private SignalRegion outSignals;
    private SignalRegion upSignals;

    /**
     * Opens the transports.
     *
     * @param config     settings.
     * @param world      place of this rank.
     * @param geometry   sizes.
     * @param rendezvous which knows this rank's incarnation.
     * @param registry   of transports.
     * @param resources  to close them.
     * @param errors     takes their failures.
     */
    public Memory(
        final EngineConfig config, final World world, final Geometry geometry, final Rendezvous rendezvous,
        final TransportRegistry registry, final Resources resources, final Consumer<? super TransportException> errors)
    {
        this.resources = resources;
        this.geometry = geometry;
        final long incarnation = rendezvous.member(world.rank()).incarnation();
        this.stages = resources.add(new Transports(config, world, incarnation, registry, errors::accept));
        this.copies = new HostCopies(stages.of(Stage.SCALE_UP), world.rank(), incarnation,
            Math.max(1, config.threads()), config.openTimeout());
        this.map = new ArenaMap(geometry, stages.isStaged());
    }

    /** Take the memory of all rings and signals; after the ranks have agreed on the settings. */
    public void allocate()
    {
        resources.add(map);
        map.allocate(stages);
        if (geometry.nodes() > 1)
        {
            outSignals = resources.add(
                stages.of(Stage.SCALE_OUT).allocateSignals(SignalMap.outCount(geometry), 1));
        }

        upSignals = resources.add(stages.of(Stage.SCALE_UP).allocateSignals(SignalMap.upCount(geometry), 1));
    }

    /**
     * Transports.
     *
     * @return stages.
     */
    public Transports stages()
    {
        return stages;
    }

    /**
     * Sections.
     *
     * @return map.
     */
    public ArenaMap map()
    {
        return map;
    }

    /**
     * Own signals of a stage.
     *
     * @param stage asked for.
     * @return signals, null for the scale-out stage of a world of one node.
     */
    public SignalRegion signals(final Stage stage)
    {
        return Stage.SCALE_OUT == stage ? outSignals : upSignals;
    }

    /**
     * Allocate memory for tensors.
     *
     * @param kind   of memory.
     * @param device ordinal.
     * @param bytes  positive.
     * @return memory.
     */
    public TensorMemory allocate(final MemoryKind kind, final int device, final long bytes)
    {
        final MemoryRegion up = allocateUp(kind, device, bytes);
        return register(up, kind, up.device(), up.address(), bytes, true);
    }

    /**
     * Register the caller's memory for tensors.
     *
     * @param kind    of memory.
     * @param device  ordinal.
     * @param address of the first byte.
     * @param bytes   positive.
     * @return memory.
     */
    public TensorMemory register(final MemoryKind kind, final int device, final long address, final long bytes)
    {
        final MemoryRegion up = registerUp(kind, device, address, bytes);
        final boolean isReadable = stages.of(Stage.SCALE_UP).capabilities().has(Capability.REGISTERED_WINDOWS);
        return register(up, kind, device, address, bytes, isReadable);
    }

    /** Memory that cannot be exported, as its owner allocated it, is not reached by peers: rows pass the rings. */
    private MemoryRegion registerUp(final MemoryKind kind, final int device, final long address, final long bytes)
    {
        final Transport transport = stages.of(Stage.SCALE_UP);
        if (isExposing() && transport.capabilities().remoteKinds().contains(kind))
        {
            try
            {
                return transport.register(kind, device, address, bytes, Access.REMOTE);
            }
            catch (final TransportUnavailableException ex)
            {
                LOGGER.warn("registered memory of {} bytes cannot be reached by the node's ranks, its rows pass the " +
                    "rings: {}", bytes, ex.getMessage());
            }
        }

        return transport.register(kind, device, address, bytes, Access.LOCAL);
    }

    /** Without room for memory that peers can reach, rows pass the rings. */
    private MemoryRegion allocateUp(final MemoryKind kind, final int device, final long bytes)
    {
        final Transport transport = stages.of(Stage.SCALE_UP);
        if (isExposing())
        {
            try
            {
                return transport.allocate(kind, device, bytes, Access.REMOTE);
            }
            catch (final TransportUnavailableException ex)
            {
                LOGGER.warn("a tensor of {} bytes cannot be reached by the node's ranks, its rows pass the rings: {}",
                    bytes, ex.getMessage());
            }
        }

        return transport.allocate(kind, device, bytes, Access.LOCAL);
    }

    private boolean isExposing()
    {
        return Placement.DIRECT == geometry.config().placement();
    }

    /**
     * Whether ranks of the node read a combine's rows where they are.
     *
     * @return true if the scale-up transport has windows and the configuration allows it.
     */
    public boolean isReadInPlace()
    {
        return isExposing() && stages.of(Stage.SCALE_UP).capabilities().has(Capability.WINDOWS);
    }

    private TensorMemory register(
        final MemoryRegion up, final MemoryKind kind, final int device, final long address, final long bytes,
        final boolean isReadable)
    {
        final Transport out = stages.of(Stage.SCALE_OUT);
        final boolean isOne =
            null == out || stages.isShared() || !out.capabilities().kinds().contains(kind);
        final MemoryRegion other = isOne ? up : out.register(kind, device, address, bytes, Access.LOCAL);
        return new TensorMemory(ids.incrementAndGet(), other, up, isReadable, copies);
    }
}
