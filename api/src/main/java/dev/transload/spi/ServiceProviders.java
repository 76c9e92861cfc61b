/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.spi;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.function.Consumer;

/**
 * Finds providers of a service with the calling thread's context class loader. A provider that fails to load, for
 * example because its class was compiled for a newer Java version, is reported and does not affect other providers.
 */
public final class ServiceProviders
{
    /** A class loader that fails whenever it is asked would be asked for ever. */
    private static final int MOST_BROKEN = 1000;

    private ServiceProviders()
    {
    }

    /**
     * Finds the providers of a service and passes each of them to a consumer.
     *
     * @param service interface of the providers.
     * @param taker   consumer of each provider. The consumer may call the provider: any exception that the consumer
     *                throws counts as a failure of the provider.
     * @param <S>     type of the service.
     * @return for each provider that failed, one text that gives the reason; usually an empty list.
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
