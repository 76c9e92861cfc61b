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
 * A seeded world of ranks in one JVM. Whatever is submitted to its transports and kernels is queued, and runs one
 * small step at a time when {@link #step()} is called, and a little when a worker makes progress; the order is chosen
 * from the seed among all that the rules allow. One thread drives all ranks; equal calls and seeds give equal runs.
 * <p>
 * A fabric has several networks, each a transport of its own name, over the same memory and the same kernels.
 */
public final class SteppingFabric
{
    /** Name of the network behind {@link #transport(int)}. */
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
     * A world.
     *
     * @param seed      of all choices; print it when a test fails.
     * @param worldSize number of ranks.
     * @param options   how hard to try.
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
     * Run one randomly chosen step: a piece of a put, an add, part of a handshake, a kernel …
     *
     * @return true while anything is left to do, so that {@code while (step());} settles all that is not paused.
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
     * Run many steps.
     *
     * @param count most steps.
     * @return true while anything is left to do.
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
     * The rank's transport of the default network, opened on first use with incarnation 1.
     *
     * @param rank in [0, world size).
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
     * Provider of the default network, on which all ranks reach each other.
     *
     * @return provider named {@link #DEFAULT_NAME}.
     */
    public SteppingProvider provider()
    {
        return provider(DEFAULT_NAME);
    }

    /**
     * Provider of a network on which all ranks reach each other.
     *
     * @param name of the transport.
     * @return provider.
     */
    public SteppingProvider provider(final String name)
    {
        return provider(name, (from, to) -> true);
    }

    /**
     * Provider of a network.
     *
     * @param name  of the transport.
     * @param reach who reaches whom; used when the name is new.
     * @return provider.
     */
    public synchronized SteppingProvider provider(final String name, final Reach reach)
    {
        return new SteppingProvider(network(name, reach));
    }

    /**
     * Asynchronous kernels of one rank, stopped with it by {@link #pause}.
     *
     * @param rank in [0, world size).
     * @param kind of memory: HOST or any kind of the options.
     * @return a queue of kernels.
     */
    public synchronized RowKernels kernels(final int rank, final MemoryKind kind)
    {
        return new SteppingKernels(this, rank, kind);
    }

    /**
     * Asynchronous kernels that belong to no rank.
     *
     * @param kind of memory: HOST or any kind of the options.
     * @return provider.
     */
    public RowKernelsProvider kernelsProvider(final MemoryKind kind)
    {
        return new SteppingKernelsProvider(this, kind);
    }

    /**
     * Steps of one rank, stopped with it by {@link #pause}; words that they have stored arrive nevertheless.
     *
     * @param rank  in [0, world size).
     * @param kind  of memory: HOST or any kind of the options.
     * @param clock in nanoseconds.
     * @return steps.
     */
    public StepKernels steps(final int rank, final MemoryKind kind, final LongSupplier clock)
    {
        return new SteppingSteps(this, rank, kind, clock);
    }

    /**
     * A new foreign event, not yet happened.
     *
     * @param kind of memory whose device owns it.
     * @return the event.
     */
    public synchronized ForeignEvent event(final MemoryKind kind)
    {
        return new ForeignEvent(kind, 0, nextEvent++);
    }

    /**
     * Let a foreign event happen.
     *
     * @param event from {@link #event}.
     */
    public synchronized void signal(final ForeignEvent event)
    {
        events.set(Math.toIntExact(event.handle()));
    }

    /**
     * Whether a foreign event happened, by {@link #signal} or by kernels that recorded it.
     *
     * @param event from {@link #event}.
     * @return true when it did.
     */
    public synchronized boolean hasHappened(final ForeignEvent event)
    {
        return events.get(Math.toIntExact(event.handle()));
    }

    /**
     * End a rank as SIGKILL would: what it had not yet done never happens; peers notice after a while, each in its own
     * time.
     *
     * @param rank in [0, world size).
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
     * Stop a rank: nothing that it does or that is done to it goes on. It does not count as dead.
     *
     * @param rank in [0, world size).
     */
    public synchronized void pause(final int rank)
    {
        schedule.pause(rank);
    }

    /**
     * Let a paused rank go on.
     *
     * @param rank in [0, world size).
     */
    public synchronized void resume(final int rank)
    {
        schedule.resume(rank);
    }

    /**
     * Bytes of a region of any kind, as its rank's kernels would see them now.
     *
     * @param region of this fabric.
     * @param offset first byte.
     * @param length in bytes.
     * @return copy.
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
     * Write bytes of a region of any kind at once.
     *
     * @param region of this fabric.
     * @param offset first byte.
     * @param bytes  to write.
     */
    public synchronized void poke(final MemoryRegion region, final long offset, final byte[] bytes)
    {
        final SteppingRegion own = (SteppingRegion)region;
        own.checkRange("poke", offset, bytes.length);
        own.writeLocal(offset, bytes);
    }

    /**
     * Seed of all choices.
     *
     * @return seed.
     */
    public long seed()
    {
        return seed;
    }

    /**
     * Number of ranks.
     *
     * @return world size.
     */
    public int worldSize()
    {
        return worldSize;
    }

    /**
     * How hard it tries.
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
