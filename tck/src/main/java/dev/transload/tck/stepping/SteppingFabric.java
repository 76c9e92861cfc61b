/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.tck.stepping;

import dev.transload.kernels.ForeignEvent;
import dev.transload.kernels.RowKernels;
import dev.transload.kernels.RowKernelsProvider;
import dev.transload.kernels.StepKernels;
import dev.transload.spi.AtomicScope;
import dev.transload.spi.Capabilities;
import dev.transload.spi.Capability;
import dev.transload.spi.MemoryKind;
import dev.transload.spi.MemoryRegion;
import dev.transload.spi.Transport;
import dev.transload.spi.TransportConfig;
import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;

/**
 * Deterministic world of ranks in one JVM. Operations submitted to its transports and kernels are queued and run in
 * small steps. Each call of {@link #step()} runs one step, and some steps run when a worker makes progress. The seed
 * selects one of the orders that the rules of the SPI allow. One thread drives all ranks. Equal calls and seeds give
 * equal runs.
 * <p>
 * A fabric has several networks. Each network is a transport with its own name; all use the same memory and kernels.
 */
public final class SteppingFabric
{
    /** Name of the network used by {@link #transport(int)}. */
    public static final String DEFAULT_NAME = "stepping";

    static final int MAX_LENGTH = 1 << 30;

    private static final int MAX_DEVICES = 64;
    private static final int LEAK_ODDS = 32;

    private final long seed;
    private final int worldSize;
    private final SteppingOptions options;
    private final Fault fault;
    private final Chance chance;
    private final Map<String, SteppingNetwork> networks = new LinkedHashMap<>();
    private final Memories memories = new Memories();
    private final Schedule schedule;
    private final BitSet events = new BitSet();
    private int nextEvent = 1;
    private long submissions;

    /**
     * Creates a world.
     *
     * @param seed      seed of all random choices; print it when a test fails.
     * @param worldSize number of ranks.
     * @param options   chances of delays and errors, and limits of the world.
     */
    public SteppingFabric(final long seed, final int worldSize, final SteppingOptions options)
    {
        this(seed, worldSize, options, null);
    }

    /** A world that breaks a rule; null for none. */
    SteppingFabric(final long seed, final int worldSize, final SteppingOptions options, final Fault fault)
    {
        this.fault = fault;
        this.seed = seed;
        this.worldSize = worldSize;
        this.options = options;
        this.chance = new Chance(seed);
        this.schedule = new Schedule(chance);
    }

    /**
     * Runs one randomly chosen step, such as a piece of a put, an add, a part of a handshake, or a kernel.
     *
     * @return true while work is left that can run. {@code while (step());} completes all work except work that is
     *         paused, and work that waits for something outside, such as a foreign event.
     */
    public synchronized boolean step()
    {
        schedule.tick();
        if (0 == chance.below(LEAK_ODDS))
        {
            memories.leakOne(chance);
        }

        return schedule.step();
    }

    /**
     * Runs several steps.
     *
     * @param count largest number of steps.
     * @return true while work is left that can run.
     */
    public boolean steps(final int count)
    {
        for (int i = 0; i < count; i++)
        {
            if (!step())
            {
                return false;
            }
        }

        return true;
    }

    /**
     * Returns the rank's transport on the default network. The first call opens it with incarnation 1.
     *
     * @param rank rank in [0, world size).
     * @return the open transport.
     */
    public synchronized Transport transport(final int rank)
    {
        final SteppingNetwork network = network(DEFAULT_NAME, (from, to) -> true);
        final SteppingTransport existing = network.transport(rank);
        return null != existing && !existing.isGone() ? existing :
            open(network, TransportConfig.builder().rank(rank).worldSize(worldSize).build());
    }

    /**
     * Returns the provider of the default network, on which all ranks can connect to each other.
     *
     * @return provider named {@link #DEFAULT_NAME}.
     */
    public SteppingProvider provider()
    {
        return provider(DEFAULT_NAME);
    }

    /**
     * Returns the provider of a network on which all ranks can connect to each other.
     *
     * @param name name of the transport.
     * @return provider of the network.
     */
    public SteppingProvider provider(final String name)
    {
        return provider(name, (from, to) -> true);
    }

    /**
     * Returns the provider of a network.
     *
     * @param name  name of the transport.
     * @param reach connections that are possible; ignored if a network with this name already exists.
     * @return provider of the network.
     */
    public synchronized SteppingProvider provider(final String name, final Reach reach)
    {
        return new SteppingProvider(network(name, reach));
    }

    /**
     * Returns asynchronous row kernels of one rank. {@link #pause} stops them together with the rank.
     *
     * @param rank rank in [0, world size).
     * @param kind kind of memory: HOST or a kind in the options.
     * @return row kernels of the rank.
     */
    public synchronized RowKernels kernels(final int rank, final MemoryKind kind)
    {
        return new SteppingKernels(this, rank, kind);
    }

    /**
     * Returns a provider of asynchronous row kernels that belong to no rank.
     *
     * @param kind kind of memory: HOST or a kind in the options.
     * @return provider of kernels.
     */
    public RowKernelsProvider kernelsProvider(final MemoryKind kind)
    {
        return new SteppingKernelsProvider(this, kind);
    }

    /**
     * Returns the kernels that execute the steps of one rank. {@link #pause} stops the steps together with the rank,
     * but words that they have already stored still arrive.
     *
     * @param rank  rank in [0, world size).
     * @param kind  kind of memory: HOST or a kind in the options.
     * @param clock supplies the current time in nanoseconds.
     * @return step kernels of the rank.
     */
    public StepKernels steps(final int rank, final MemoryKind kind, final LongSupplier clock)
    {
        return new SteppingSteps(this, rank, kind, clock);
    }

    /**
     * Creates a foreign event that has not happened yet.
     *
     * @param kind kind of memory; the event belongs to the device that owns memory of this kind.
     * @return new event.
     */
    public synchronized ForeignEvent event(final MemoryKind kind)
    {
        return new ForeignEvent(kind, 0, nextEvent++);
    }

    /**
     * Makes a foreign event happen.
     *
     * @param event event created by {@link #event}.
     */
    public synchronized void signal(final ForeignEvent event)
    {
        events.set(Math.toIntExact(event.handle()));
    }

    /**
     * Returns whether a foreign event has happened, by {@link #signal} or because kernels recorded it.
     *
     * @param event event created by {@link #event}.
     * @return true if the event has happened.
     */
    public synchronized boolean hasHappened(final ForeignEvent event)
    {
        return events.get(Math.toIntExact(event.handle()));
    }

    /**
     * Ends a rank as SIGKILL would. Its unfinished work never completes. Each peer notices the failure after its own
     * delay.
     *
     * @param rank rank in [0, world size).
     */
    public synchronized void kill(final int rank)
    {
        for (final SteppingNetwork network : networks.values())
        {
            final SteppingTransport transport = network.transport(rank);
            if (null != transport && !transport.isGone())
            {
                transport.kill();
                network.mourn(transport, "it was killed");
            }
        }

        schedule.kill(rank);
    }

    /**
     * Pauses a rank: neither its own operations nor operations on its memory continue. The rank does not count as
     * failed.
     *
     * @param rank rank in [0, world size).
     */
    public synchronized void pause(final int rank)
    {
        schedule.pause(rank);
    }

    /**
     * Resumes a paused rank.
     *
     * @param rank rank in [0, world size).
     */
    public synchronized void resume(final int rank)
    {
        schedule.resume(rank);
    }

    /**
     * Reads bytes of a region of any kind, as kernels of the region's rank would read them now.
     *
     * @param region region of this fabric.
     * @param offset offset of the first byte.
     * @param length number of bytes.
     * @return copy of the bytes.
     */
    public synchronized byte[] peek(final MemoryRegion region, final long offset, final int length)
    {
        final SteppingRegion own = (SteppingRegion)region;
        own.checkRange("peek", offset, length);
        final byte[] bytes = new byte[length];
        own.readLocal(offset, bytes, submissions);
        return bytes;
    }

    /**
     * Writes bytes to a region of any kind immediately.
     *
     * @param region region of this fabric.
     * @param offset offset of the first byte.
     * @param bytes  bytes to write.
     */
    public synchronized void poke(final MemoryRegion region, final long offset, final byte[] bytes)
    {
        final SteppingRegion own = (SteppingRegion)region;
        own.checkRange("poke", offset, bytes.length);
        own.writeLocal(offset, bytes);
    }

    /**
     * Returns the seed of all random choices.
     *
     * @return seed.
     */
    public long seed()
    {
        return seed;
    }

    /**
     * Returns the number of ranks.
     *
     * @return world size.
     */
    public int worldSize()
    {
        return worldSize;
    }

    /**
     * Returns the options of the fabric.
     *
     * @return options.
     */
    public SteppingOptions options()
    {
        return options;
    }

    boolean has(final Fault asked)
    {
        return asked == fault;
    }

    Chance chance()
    {
        return chance;
    }

    /** True with the given probability, scaled by the aggressiveness. */
    boolean mischief(final double probability)
    {
        return chance.happens(probability * options.aggressiveness());
    }

    long notBefore()
    {
        return schedule.now() + chance.below((int)(options.maxDelaySteps() * options.aggressiveness()) + 1);
    }

    long nextSubmission()
    {
        return ++submissions;
    }

    Memories memories()
    {
        return memories;
    }

    Schedule schedule()
    {
        return schedule;
    }

    void checkDevice(final Set<MemoryKind> kinds, final MemoryKind kind, final int device)
    {
        if (!kinds.contains(kind))
        {
            throw new IllegalArgumentException("memory kind " + kind + " is not offered: must be of " + kinds);
        }

        if (device < 0 || device >= devices(kind))
        {
            throw new IllegalArgumentException("device " + device + " of " + kind + " is not there: must be in [0, " +
                devices(kind) + ")");
        }
    }

    static int devices(final MemoryKind kind)
    {
        return kind.isHost() ? 1 : MAX_DEVICES;
    }

    /** Else a signal is a put of its total: {@link SignalPuts}. */
    boolean hasAtomics()
    {
        return options.optional().contains(Capability.REGION_ATOMICS) ||
            options.optional().contains(Capability.SHARED_SIGNALS);
    }

    Capabilities capabilities(final SteppingNetwork network, final String label)
    {
        final String version = "stepping, seed " + seed + (label.isEmpty() ? "" : ", " + label);
        final MemoryKind[] kinds = network.kinds().toArray(new MemoryKind[0]);
        final Capabilities.Builder promise = Capabilities.builder(network.name(), version, MAX_LENGTH)
            .kinds(kinds)
            .with(Capability.INTER_NODE, Capability.EMULATED)
            .maxWorkers(options.maxWorkers())
            .maxPutLength(options.maxPutLength())
            .offsetAlignment(options.offsetAlignment());
        for (final Capability capability : options.optional())
        {
            switch (capability)
            {
                case REGISTER_REMOTE:
                    promise.registerRemote(kinds);
                    break;
                case REGION_ATOMICS:
                    promise.regionAtomics(has(Fault.PRV_7) ? AtomicScope.NONE : AtomicScope.TRANSPORT);
                    break;
                default:
                    promise.with(capability);
                    break;
            }
        }

        return options.autonomousTarget() ? promise.with(Capability.AUTONOMOUS_TARGET).build() : promise.build();
    }

    synchronized Transport open(final SteppingNetwork network, final TransportConfig config)
    {
        final SteppingTransport transport = new SteppingTransport(network, config,
            capabilities(network, config.text(SteppingProvider.LABEL)));
        network.join(transport);
        return transport;
    }

    private SteppingNetwork network(final String name, final Reach reach)
    {
        return networks.computeIfAbsent(name, (key) -> new SteppingNetwork(this, key, networks.size(), reach));
    }
}
