/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.gate;

import java.io.IOException;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Enumeration;
import java.util.List;
import java.util.function.Supplier;

/** The class path of a test with providers of a service ahead that a service loader finds first, as broken ones. */
public final class BrokenProvider
{
    /** Name of a provider that no jar has. */
    public static final String MISSING = "org.example.MissingProvider";

    private BrokenProvider()
    {
    }

    /** Has the services file ahead of all others. */
    private static final class Ahead extends ClassLoader
    {
        private final String name;
        private final URL file;

        Ahead(final String name, final URL file)
        {
            super(Thread.currentThread().getContextClassLoader());
            this.name = name;
            this.file = file;
        }

        @Override
        public Enumeration<URL> getResources(final String resource) throws IOException
        {
            final Enumeration<URL> others = super.getResources(resource);
            if (!name.equals(resource))
            {
                return others;
            }

            final List<URL> all = new ArrayList<>();
            all.add(file);
            all.addAll(Collections.list(others));
            return Collections.enumeration(all);
        }
    }

    /**
     * Run a body whose class path has a provider that is {@link #MISSING}.
     *
     * @param folder  that is empty.
     * @param service interface of the provider.
     * @param body    of the test.
     * @param <T>     type of the result.
     * @return what the body returns.
     * @throws IOException if the folder cannot be written.
     */
    public static <T> T ahead(final Path folder, final Class<?> service, final Supplier<T> body) throws IOException
    {
        return ahead(folder, service, List.of(MISSING), body);
    }

    /**
     * Run a body whose class path has given providers ahead of all others.
     *
     * @param folder    that is empty.
     * @param service   interface of the providers.
     * @param providers names of classes.
     * @param body      of the test.
     * @param <T>       type of the result.
     * @return what the body returns.
     * @throws IOException if the folder cannot be written.
     */
    public static <T> T ahead(
        final Path folder, final Class<?> service, final List<String> providers, final Supplier<T> body)
        throws IOException
    {
        final Path file = Files.write(folder.resolve(service.getName()), providers);
        final Thread thread = Thread.currentThread();
        final ClassLoader before = thread.getContextClassLoader();
        thread.setContextClassLoader(new Ahead("META-INF/services/" + service.getName(), file.toUri().toURL()));
        try
        {
            return body.get();
        }
        finally
        {
            thread.setContextClassLoader(before);
        }
    }
}
