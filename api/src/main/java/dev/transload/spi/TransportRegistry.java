/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.spi;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URL;
import java.security.CodeSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The transports found on the class path, by name. The registry refuses a provider whose SPI version is not
 * {@link SpiVersion#CURRENT}, whose name has a wrong form or is the name of another provider, or whose class is in
 * several jars. The reason for the refusal names the jars.
 */
public final class TransportRegistry
{
    /** Stands for the name and the jar of a provider that cannot be asked. */
    private static final String UNNAMED = "?";

    private static final Pattern NAME = Pattern.compile("[a-z][a-z0-9-]*");

    private final Map<String, RegisteredProvider> providers = new TreeMap<>();
    private final List<RefusedProvider> refused = new ArrayList<>();

    private TransportRegistry()
    {
    }

    /**
     * Finds providers with the calling thread's context class loader.
     *
     * @return registry of the providers found.
     */
    public static TransportRegistry discover()
    {
        final TransportRegistry registry = new TransportRegistry();
        final ClassLoader context = Thread.currentThread().getContextClassLoader();
        final ClassLoader loader = null == context ? ClassLoader.getSystemClassLoader() : context;
        ServiceProviders.visit(TransportProvider.class, (provider) ->
            registry.add(provider, jarsOf(provider.getClass(), loader)))
            .forEach((reason) -> registry.refuse(UNNAMED, UNNAMED, reason));
        return registry;
    }

    /**
     * Creates a registry of given providers, and checks the providers as {@link #discover} does.
     *
     * @param found providers.
     * @return registry.
     */
    public static TransportRegistry of(final Collection<? extends TransportProvider> found)
    {
        final TransportRegistry registry = new TransportRegistry();
        found.forEach((provider) -> registry.add(provider, List.of(jarOf(provider.getClass()))));
        return registry;
    }

    /**
     * Returns the provider of a transport.
     *
     * @param name name of the transport.
     * @return the provider.
     * @throws ConfigurationException if no provider has the name, or if the registry refused the provider. The message
     *                                lists the providers found, or gives the reason for the refusal.
     */
    public TransportProvider provider(final String name)
    {
        final RegisteredProvider registered = providers.get(name);
        if (null != registered)
        {
            return registered.provider();
        }

        for (final RefusedProvider candidate : refused)
        {
            if (candidate.name().equals(name))
            {
                throw new ConfigurationException("transport '" + name + "' is refused: " + candidate.reason());
            }
        }

        throw new ConfigurationException("unknown transport '" + name + "': found are " +
            (providers.isEmpty() ? "none; add a transport's jar to the class path" :
            String.join(", ", providers.keySet()) + NearestName.question(name, providers.keySet(), "")) +
            refused.stream().filter((candidate) -> UNNAMED.equals(candidate.name()))
            .map((candidate) -> "; one that has no name is refused: " + candidate.reason())
            .collect(Collectors.joining()));
    }

    /**
     * Returns all usable providers, ordered by name.
     *
     * @return providers with their jars.
     */
    public List<RegisteredProvider> providers()
    {
        return List.copyOf(providers.values());
    }

    /**
     * Returns all refused providers.
     *
     * @return providers with reasons.
     */
    public List<RefusedProvider> refused()
    {
        return List.copyOf(refused);
    }

    private void add(final TransportProvider provider, final List<String> jars)
    {
        final String jar = jars.get(0);
        final String name = provider.name();
        if (null == name || !NAME.matcher(name).matches())
        {
            refuse(
                String.valueOf(name), jar, "its name '" + name + "' must match " + NAME.pattern() + " (" + jar + ")");
        }
        else if (SpiVersion.CURRENT != provider.spiVersion())
        {
            refuse(name, jar, "it was built for SPI version " + provider.spiVersion() + ", this is version " +
                SpiVersion.CURRENT + " (" + jar + ")");
        }
        else if (jars.size() > 1)
        {
            final String reason = (2 == jars.size() ? "two" : jars.size()) + " jars bring it, keep one: " +
                String.join(" and ", jars);
            jars.forEach((each) -> refuse(name, each, reason));
        }
        else if (isRefused(name))
        {
            refuse(name, jar, "several jars bring it; keep one (" + jar + ")");
        }
        else if (providers.containsKey(name))
        {
            final String other = providers.remove(name).jar();
            final String reason = "two jars bring it, keep one: " + other + " and " + jar;
            refuse(name, other, reason);
            refuse(name, jar, reason);
        }
        else
        {
            providers.put(name, new RegisteredProvider(provider, jar));
        }
    }

    private boolean isRefused(final String name)
    {
        return refused.stream().anyMatch((candidate) -> candidate.name().equals(name));
    }

    private void refuse(final String name, final String jar, final String reason)
    {
        refused.add(new RefusedProvider(name, jar, reason));
    }

    /**
     * All jars and folders that have the class, of which a class loader uses the first and hides the others: nobody
     * could tell which of two versions runs.
     */
    private static List<String> jarsOf(final Class<?> type, final ClassLoader loader)
    {
        final String resource = type.getName().replace('.', '/') + ".class";
        final Set<String> jars = new LinkedHashSet<>();
        try
        {
            for (final URL url : Collections.list(loader.getResources(resource)))
            {
                final String place = url.toString();
                final String jar = place.substring(0, place.length() - resource.length());
                jars.add(jar.replaceFirst("^(jar:)?file:", "").replaceFirst("!/$", ""));
            }
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException("cannot look for jars that bring " + type.getName(), ex);
        }

        return jars.size() > 1 ? List.copyOf(jars) : List.of(jarOf(type));
    }

    private static String jarOf(final Class<?> type)
    {
        final CodeSource source = type.getProtectionDomain().getCodeSource();
        return null == source || null == source.getLocation() ? "the JDK" : source.getLocation().getPath();
    }
}
