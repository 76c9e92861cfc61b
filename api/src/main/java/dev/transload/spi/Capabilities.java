/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.spi;

import java.util.EnumSet;
import java.util.Set;

/**
 * Immutable promise of an available or open transport.
 *
 * @param transport       name of the provider.
 * @param version         of the transport and the library under it, for reports, e.g. {@code Aeron 1.51.0}.
 * @param optional        features offered.
 * @param kinds           memory kinds that can be allocated and registered; holds at least one.
 * @param remoteKinds     of which the caller's memory can be registered with {@link Access#REMOTE}; empty without
 *                        {@code REGISTER_REMOTE}.
 * @param atomicScope     of adds to ordinary regions, {@link AtomicScope#NONE} without {@code REGION_ATOMICS}.
 * @param maxWorkers      most workers that one transport will open.
 * @param maxRegionLength longest region in bytes.
 * @param maxPutLength    longest single put and load in bytes; longer ones are refused (rule MIS-7).
 * @param offsetAlignment required alignment of put and load offsets and lengths in bytes, a power of two.
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
    int offsetAlignment)
{
    /** Copies the sets. */
    public Capabilities
    {
        optional = Set.copyOf(optional);
        kinds = Set.copyOf(kinds);
        remoteKinds = Set.copyOf(remoteKinds);
    }

    /**
     * Of a transport that registers all its kinds with {@link Access#REMOTE}, or none.
     *
     * @param transport       name of the provider.
     * @param version         of the transport and the library under it.
     * @param optional        features offered.
     * @param kinds           memory kinds that can be allocated and registered.
     * @param atomicScope     of adds to ordinary regions.
     * @param maxWorkers      most workers that one transport will open.
     * @param maxRegionLength longest region in bytes.
     * @param maxPutLength    longest single put and load in bytes.
     * @param offsetAlignment required alignment of offsets and lengths in bytes.
     */
    public Capabilities(
        final String transport,
        final String version,
        final Set<Capability> optional,
        final Set<MemoryKind> kinds,
        final AtomicScope atomicScope,
        final int maxWorkers,
        final long maxRegionLength,
        final long maxPutLength,
        final int offsetAlignment)
    {
        this(transport, version, optional, kinds,
            optional.contains(Capability.REGISTER_REMOTE) ? kinds : Set.of(), atomicScope, maxWorkers,
            maxRegionLength, maxPutLength, offsetAlignment);
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
}
