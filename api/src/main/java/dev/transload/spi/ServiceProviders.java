/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.spi;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.function.Consumer;

/**
 * Providers of a service, found with the calling thread's context class loader. One that is broken, as a class that
 * was compiled for a newer Java, is told of and keeps no other from being found.
 */
public final class ServiceProviders
{
    /** A class loader that fails whenever it is asked would be asked for ever. */
    private static final int MOST_BROKEN = 1000;

    private ServiceProviders()
    {
    }

    /**
     * Look for providers.
     *
     * @param service interface of the providers.
     * @param taker   of each one. What it throws counts as the provider's failure, so that it may ask the provider.
     * @param <S>     type of the service.
     * @return one clause for each broken provider, which says why; most often none.
     */
    public static <S> List<String> visit(final Class<S> service, final Consumer<? super S> taker)
    {
        final List<String> broken = new ArrayList<>();
        final Iterator<S> iterator = ServiceLoader.load(service).iterator();
        while (broken.size() < MOST_BROKEN)
        {
            S provider = null;
            try
            {
                if (!iterator.hasNext())
                {
                    break;
                }

                provider = iterator.next();
                taker.accept(provider);
            }
            catch (final ServiceConfigurationError error)
            {
                broken.add("its service entry is broken: " + error.getMessage() +
                    (null == error.getCause() ? "" : ": " + error.getCause()));
            }
            catch (final LinkageError error)
            {
                // The loader of services lets these pass, as of a class that was compiled for a newer Java.
                broken.add((null == provider ? "its class cannot be loaded: " :
                    provider.getClass().getName() + " does not fit: ") + error);
            }
            catch (final RuntimeException ex)
            {
                broken.add((null == provider ? "it cannot be had: " : provider.getClass().getName() + " fails: ") + ex);
            }
        }

        return broken;
    }
}
