/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.spi;

import java.util.EnumSet;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/**
 * Immutable capabilities that an available or open transport promises.
 *
 * @param transport       name of the provider.
 * @param version         text for reports: the software that the transport uses, with its version if it has one, e.g.
 *                        {@code Aeron 1.51.0} or {@code mapped files}.
 * @param optional        optional features that the transport offers.
 * @param kinds           memory kinds that can be allocated and registered; at least one.
 * @param remoteKinds     kinds of the caller's memory that can be registered with {@link Access#REMOTE}; empty if
 *                        {@code REGISTER_REMOTE} is not offered.
 * @param atomicScope     scope of atomic adds to ordinary regions; {@link AtomicScope#NONE} if {@code REGION_ATOMICS}
 *                        is not offered.
 * @param maxWorkers      largest number of workers that one transport opens.
 * @param maxRegionLength largest number of bytes of a region.
 * @param maxPutLength    largest number of bytes of one put or load; longer puts and loads are refused (rule MIS-7).
 * @param offsetAlignment required alignment of offsets and lengths of puts and loads, in bytes; a power of two.
 * @param notes           texts for reports. The text for a memory kind says how the transport moves data in memory of
 *                        this kind, or why it cannot.
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
    /** Creates capabilities with copies of the given sets and of the given map. */
    public Capabilities
    {
        optional = Set.copyOf(optional);
        kinds = Set.copyOf(kinds);
        remoteKinds = Set.copyOf(remoteKinds);
        notes = Map.copyOf(notes);
    }

    /**
     * Creates capabilities without notes.
     *
     * @param transport       name of the provider.
     * @param version         software that the transport uses, with its version if it has one.
     * @param optional        optional features that the transport offers.
     * @param kinds           memory kinds that can be allocated and registered.
     * @param remoteKinds     kinds of the caller's memory that can be registered with {@link Access#REMOTE}.
     * @param atomicScope     scope of atomic adds to ordinary regions.
     * @param maxWorkers      largest number of workers.
     * @param maxRegionLength largest number of bytes of a region.
     * @param maxPutLength    largest number of bytes of one put or load.
     * @param offsetAlignment required alignment of offsets and lengths of puts and loads, in bytes.
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
     * Creates a builder with the smallest capabilities: host memory, no optional feature, one worker, and no required
     * alignment of offsets.
     *
     * @param transport       name of the provider.
     * @param runsOn          text for reports: the software that the transport uses, with its version if it has one,
     *                        e.g. {@code Aeron 1.51.0} or {@code mapped files}. The text becomes {@link #version()}.
     * @param maxRegionLength largest number of bytes of a region. The same limit applies to one put or load, unless
     *                        {@link Builder#maxPutLength} sets a different one.
     * @return builder.
     */
    public static Builder builder(final String transport, final String runsOn, final long maxRegionLength)
    {
        return new Builder(transport, runsOn, maxRegionLength);
    }

    /**
     * Returns whether the transport offers a feature.
     *
     * @param capability feature to look up.
     * @return true if the transport offers the feature.
     */
    public boolean has(final Capability capability)
    {
        return optional.contains(capability);
    }

    /**
     * Throws an exception unless the transport offers all of the given features.
     *
     * @param required required features.
     * @throws UnsupportedCapabilityException if a feature is missing; the message names the transport and every missing
     *                                        feature.
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

    /** Builds the capabilities of a transport. Values that belong together are set by one method. Not thread-safe. */
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
         * Adds features that need no further value.
         *
         * @param offered features, except REGION_ATOMICS and REGISTER_REMOTE, which {@link #regionAtomics} and
         *                {@link #registerRemote} add.
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
         * Sets the memory kinds that can be allocated and registered. The default is HOST.
         *
         * @param values memory kinds, at least one.
         * @return this.
         */
        public Builder kinds(final MemoryKind... values)
        {
            kinds = Set.of(values);
            return this;
        }

        /**
         * Adds {@link Capability#REGISTER_REMOTE}.
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
         * Adds {@link Capability#REGION_ATOMICS}.
         *
         * @param scope scope of atomic adds to ordinary regions, not {@link AtomicScope#NONE}.
         * @return this.
         */
        public Builder regionAtomics(final AtomicScope scope)
        {
            atomicScope = scope;
            optional.add(Capability.REGION_ATOMICS);
            return this;
        }

        /**
         * Sets the largest number of workers that one transport opens. Each worker is driven by one thread. The default
         * is 1.
         *
         * @param value number of workers, positive.
         * @return this.
         */
        public Builder maxWorkers(final int value)
        {
            maxWorkers = value;
            return this;
        }

        /**
         * Sets the largest number of bytes of one put or load. The default is the largest length of a region.
         *
         * @param value number of bytes, at most the largest length of a region.
         * @return this.
         */
        public Builder maxPutLength(final long value)
        {
            maxPutLength = value;
            return this;
        }

        /**
         * Sets the required alignment of offsets and lengths of puts and loads. The default is 1.
         *
         * @param value number of bytes, a power of two.
         * @return this.
         */
        public Builder offsetAlignment(final int value)
        {
            offsetAlignment = value;
            return this;
        }

        /**
         * Sets a note that says how the transport moves data in memory of a kind, or why it cannot.
         *
         * @param kind kind of memory.
         * @param text text for reports, without a full stop.
         * @return this.
         */
        public Builder note(final MemoryKind kind, final String text)
        {
            notes.put(kind, text);
            return this;
        }

        /**
         * Builds the capabilities.
         *
         * @return capabilities.
         */
        public Capabilities build()
        {
            return new Capabilities(transport, version, optional, kinds, remoteKinds, atomicScope, maxWorkers,
                maxRegionLength, maxPutLength, offsetAlignment, notes);
        }
    }
}
