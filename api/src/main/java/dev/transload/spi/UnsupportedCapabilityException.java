/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.spi;

import java.util.Set;

/** Thrown if a transport does not offer an optional feature that the caller requires. */
public final class UnsupportedCapabilityException extends TransportException
{
    private static final long serialVersionUID = 1L;

    /**
     * Creates the exception for one or more missing features.
     *
     * @param transport name of the transport.
     * @param missing   missing features.
     */
    public UnsupportedCapabilityException(final String transport, final Set<Capability> missing)
    {
        super("transport " + transport + " lacks " + missing, NO_STATUS, null);
    }

    /**
     * Creates the exception for a feature that is missing for a kind of memory.
     *
     * @param transport name of the transport.
     * @param missing   missing feature.
     * @param kind      kind of memory.
     */
    public UnsupportedCapabilityException(final String transport, final Capability missing, final MemoryKind kind)
    {
        super("transport " + transport + " lacks " + missing + " for " + kind + " memory", NO_STATUS, null);
    }
}
