/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.spi;

import java.util.EnumSet;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/**
 * Immutable promise of an available or open transport.
 *
 * @param transport       name of the provider.
 * @param version         what the transport runs on, with its version where there is one, for reports: {@code Aeron
 *                        1.51.0}, {@code mapped files}.
 * @param optional        features offered.
 * @param kinds           memory kinds that can be allocated and registered; holds at least one.
 * @param remoteKinds     of which the caller's memory can be registered with {@link Access#REMOTE}; empty without
 *                        {@code REGISTER_REMOTE}.
 * @param atomicScope     of adds to ordinary regions, {@link AtomicScope#NONE} without {@code REGION_ATOMICS}.
 * @param maxWorkers      most workers that one transport will open.
 * @param maxRegionLength longest region in bytes.
 * @param maxPutLength    longest single put and load in bytes; longer ones are refused (rule MIS-7).
 * @param offsetAlignment required alignment of put and load offsets and lengths in bytes, a power of two.
 * @param notes           by memory kind, for reports: a clause on how memory of the kind is moved, or why it is not.
 */
public record Capabilities(
    String transport,
    String version,
    Set<Capability> optional,
    Set<MemoryKind> kinds,
    Set<MemoryKind> remoteKinds,
    AtomicScope atomicScope,
    int maxWorkers,
    long maxRegionLength,
    long maxPutLength,
    int offsetAlignment,
    Map<MemoryKind, String> notes)
{
    /** Copies the sets. */
    public Capabilities
    {
        optional = Set.copyOf(optional);
        kinds = Set.copyOf(kinds);
        remoteKinds = Set.copyOf(remoteKinds);
        notes = Map.copyOf(notes);
    }

    /**
     * Without notes.
     *
     * @param transport       name of the provider.
     * @param version         what the transport runs on, with its version where there is one.
     * @param optional        features offered.
     * @param kinds           memory kinds.
     * @param remoteKinds     of which the caller's memory can be registered for peers.
     * @param atomicScope     of adds to ordinary regions.
     * @param maxWorkers      most workers.
     * @param maxRegionLength longest region in bytes.
     * @param maxPutLength    longest single put and load in bytes.
     * @param offsetAlignment of offsets and lengths in bytes.
     */
    public Capabilities(
        final String transport, final String version, final Set<Capability> optional, final Set<MemoryKind> kinds,
        final Set<MemoryKind> remoteKinds, final AtomicScope atomicScope, final int maxWorkers,
        final long maxRegionLength, final long maxPutLength, final int offsetAlignment)
    {
        this(transport, version, optional, kinds, remoteKinds, atomicScope, maxWorkers, maxRegionLength, maxPutLength,
            offsetAlignment, Map.of());
    }

    /**
     * Begin with the smallest promise: host memory, no optional feature, one worker, any offset.
     *
     * @param transport       name of the provider.
     * @param runsOn          what the transport runs on, with its version where there is one, for reports: {@code Aeron
     *                        1.51.0}, {@code mapped files}. It becomes {@link #version()}.
     * @param maxRegionLength longest region in bytes, and longest put unless that is set.
     * @return builder.
     */
    public static Builder builder(final String transport, final String runsOn, final long maxRegionLength)
    {
        return new Builder(transport, runsOn, maxRegionLength);
    }

    /**
     * Whether a feature is offered.
     *
     * @param capability asked for.
     * @return true when promised.
     */
    public boolean has(final Capability capability)
    {
        return optional.contains(capability);
    }

    /**
     * Fail fast at wiring time.
     *
     * @param required features.
     * @throws UnsupportedCapabilityException naming the transport and every missing feature.
     */
    public void require(final Capability... required)
    {
        final EnumSet<Capability> missing = EnumSet.noneOf(Capability.class);
        for (final Capability capability : required)
        {
            if (!optional.contains(capability))
            {
                missing.add(capability);
            }
        }

        if (!missing.isEmpty())
        {
            throw new UnsupportedCapabilityException(transport, missing);
        }
    }

    /** Collects a promise; what belongs together is set by one call. Not thread-safe. */
    public static final class Builder
    {
        private final String transport;
        private final String version;
        private final long maxRegionLength;
        private final EnumSet<Capability> optional = EnumSet.noneOf(Capability.class);
        private Set<MemoryKind> kinds = Set.of(MemoryKind.HOST);
        private Set<MemoryKind> remoteKinds = Set.of();
        private AtomicScope atomicScope = AtomicScope.NONE;
        private int maxWorkers = 1;
        private long maxPutLength;
        private int offsetAlignment = 1;
        private final Map<MemoryKind, String> notes = new HashMap<>();

        private Builder(final String transport, final String version, final long maxRegionLength)
        {
            this.transport = transport;
            this.version = version;
            this.maxRegionLength = maxRegionLength;
            this.maxPutLength = maxRegionLength;
        }

        /**
         * Features without a value of their own.
         *
         * @param offered none of which is REGION_ATOMICS or REGISTER_REMOTE: {@link #regionAtomics} and
         *                {@link #registerRemote} say more.
         * @return this.
         */
        public Builder with(final Capability... offered)
        {
            for (final Capability capability : offered)
            {
                if (Capability.REGION_ATOMICS == capability || Capability.REGISTER_REMOTE == capability)
                {
                    throw new IllegalArgumentException(capability + ": call " +
                        (Capability.REGION_ATOMICS == capability ? "regionAtomics(scope)" : "registerRemote(kinds)"));
                }

                optional.add(capability);
            }

            return this;
        }

        /**
         * Memory that can be allocated and registered; HOST unless it is set.
         *
         * @param values at least one.
         * @return this.
         */
        public Builder kinds(final MemoryKind... values)
        {
            kinds = Set.of(values);
            return this;
        }

        /**
         * {@link Capability#REGISTER_REMOTE}.
         *
         * @param values kinds of the caller's memory that can be registered with {@link Access#REMOTE}.
         * @return this.
         */
        public Builder registerRemote(final MemoryKind... values)
        {
            remoteKinds = Set.of(values);
            optional.add(Capability.REGISTER_REMOTE);
            return this;
        }

        /**
         * {@link Capability#REGION_ATOMICS}.
         *
         * @param scope of adds to ordinary regions, not {@link AtomicScope#NONE}.
         * @return this.
         */
        public Builder regionAtomics(final AtomicScope scope)
        {
            atomicScope = scope;
            optional.add(Capability.REGION_ATOMICS);
            return this;
        }

        /**
         * How many threads may drive the transport; 1 unless it is set.
         *
         * @param value positive.
         * @return this.
         */
        public Builder maxWorkers(final int value)
        {
            maxWorkers = value;
            return this;
        }

        /**
         * Longest single put and load.
         *
         * @param value in bytes, at most the longest region.
         * @return this.
         */
        public Builder maxPutLength(final long value)
        {
            maxPutLength = value;
            return this;
        }

        /**
         * Required alignment of put and load offsets and lengths; 1 unless it is set.
         *
         * @param value in bytes, a power of two.
         * @return this.
         */
        public Builder offsetAlignment(final int value)
        {
            offsetAlignment = value;
            return this;
        }

        /**
         * How memory of a kind is moved, or why it is not.
         *
         * @param kind of memory.
         * @param text a clause, for reports.
         * @return this.
         */
        public Builder note(final MemoryKind kind, final String text)
        {
            notes.put(kind, text);
            return this;
        }

        /**
         * Done.
         *
         * @return the promise.
         */
        public Capabilities build()
        {
            return new Capabilities(transport, version, optional, kinds, remoteKinds, atomicScope, maxWorkers,
                maxRegionLength, maxPutLength, offsetAlignment, notes);
        }
    }
}
