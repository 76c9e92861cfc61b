/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.assembly;

import dev.transload.kernels.RowKernels;
import dev.transload.kernels.RowKernelsProvider;
import dev.transload.spi.MemoryKind;
import dev.transload.spi.TransportUnavailableException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;

/** The row kernels found, by memory kind. */
public final class KernelRegistry
{
    private final List<RowKernelsProvider> providers;

    private KernelRegistry(final Collection<? extends RowKernelsProvider> providers)
    {
        this.providers = List.copyOf(providers);
    }

    /**
     * Look for providers with the calling thread's context class loader.
     *
     * @return registry of what was found.
     */
    public static KernelRegistry discover()
    {
        final List<RowKernelsProvider> found = new ArrayList<>();
        ServiceLoader.load(RowKernelsProvider.class).forEach(found::add);
        return new KernelRegistry(found);
    }

    /**
     * A registry of given providers.
     *
     * @param providers of distinct kinds.
     * @return registry.
     */
    public static KernelRegistry of(final Collection<? extends RowKernelsProvider> providers)
    {
        return new KernelRegistry(providers);
    }

    /**
     * Open kernels.
     *
     * @param kind    of memory.
     * @param device  ordinal.
     * @param options by key; only host kernels have any.
     * @return kernels.
     * @throws TransportUnavailableException if there are none for the kind, or they do not run here.
     */
    public RowKernels open(final MemoryKind kind, final int device, final Map<String, String> options)
    {
        for (final RowKernelsProvider provider : providers)
        {
            if (provider.kind().equals(kind))
            {
                final String reason = provider.unavailableBecause();
                if (null != reason)
                {
                    throw new TransportUnavailableException("row kernels of " + kind + " memory: " + reason, null);
                }

                return provider.open(kind.isHost() ? 0 : device, kind.isHost() ? options : Map.of());
            }
        }

        throw new TransportUnavailableException("no row kernels for " + kind +
            " memory are on the class path: add the jar that brings them", null);
    }
}
