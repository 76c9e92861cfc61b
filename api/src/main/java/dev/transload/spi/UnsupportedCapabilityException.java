/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.spi;

import java.util.Set;

/** A required optional feature is missing. */
public final class UnsupportedCapabilityException extends TransportException
{
    private static final long serialVersionUID = 1L;

    /**
     * Name all missing features at once.
     *
     * @param transport name.
     * @param missing   features.
     */
    public UnsupportedCapabilityException(final String transport, final Set<Capability> missing)
    {
        super("transport " + transport + " lacks " + missing, NO_STATUS, null);
    }

    /**
     * Name a feature that is missing for a kind of memory.
     *
     * @param transport name.
     * @param missing   feature.
     * @param kind      of memory.
     */
    public UnsupportedCapabilityException(final String transport, final Capability missing, final MemoryKind kind)
    {
        super("transport " + transport + " lacks " + missing + " for " + kind + " memory", NO_STATUS, null);
    }
}
