/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.spi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Enumeration;
import java.util.List;
import java.util.jar.JarOutputStream;
import java.util.zip.ZipEntry;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is found on a class path, and what is refused. */
class TransportRegistryTest
{
    private static final String CLASS = CarrierProvider.class.getName().replace('.', '/') + ".class";
    private static final String SERVICE = "META-INF/services/" + TransportProvider.class.getName();

    @TempDir
    private Path folder;

    /** The class path of the tests without the provider, so that only jars bring it. */
    private static final class WithoutCarrier extends ClassLoader
    {
        WithoutCarrier()
        {
            super(TransportRegistryTest.class.getClassLoader());
        }

        @Override
        protected Class<?> loadClass(final String name, final boolean resolve) throws ClassNotFoundException
        {
            if (CarrierProvider.class.getName().equals(name))
            {
                throw new ClassNotFoundException(name);
            }

            return super.loadClass(name, resolve);
        }

        @Override
        public Enumeration<URL> getResources(final String name) throws IOException
        {
            return CLASS.equals(name) ? Collections.emptyEnumeration() : super.getResources(name);
        }
    }

    @Test
    void shouldFindWhatOneJarBrings() throws IOException
    {
        final Path jar = jar("one.jar");
        final TransportRegistry registry = discover(jar);
        assertEquals(List.of(), registry.refused());
        assertEquals(List.of(jar.toString()), registry.providers().stream().map(RegisteredProvider::jar).toList());
        assertEquals("carrier", registry.provider("carrier").name());
    }

    @Test
    void shouldTakeAJarThatStandsTwiceOnTheClassPath() throws IOException
    {
        final Path jar = jar("one.jar");
        assertEquals(List.of(), discover(jar, jar).refused());
    }

    @Test
    void shouldRefuseAClassThatTwoJarsBring() throws IOException
    {
        final Path one = jar("one.jar");
        final Path two = jar("two.jar");
        final TransportRegistry registry = discover(one, two);
        assertEquals(List.of(), registry.providers());
        assertEquals(List.of(one.toString(), two.toString()),
            registry.refused().stream().map(RefusedProvider::jar).toList());
        assertEquals("transport 'carrier' is refused: two jars bring it, keep one: " + one + " and " + two,
            assertThrows(ConfigurationException.class, () -> registry.provider("carrier")).getMessage());
    }

    @Test
    void shouldRefuseAClassThatAJarAndAFolderBring() throws IOException
    {
        final Path jar = jar("one.jar");
        final Path classes = folder.resolve("classes");
        Files.createDirectories(classes.resolve(CLASS).getParent());
        Files.write(classes.resolve(CLASS), bytes());
        final TransportRegistry registry = discover(jar, classes);
        assertEquals("transport 'carrier' is refused: two jars bring it, keep one: " + jar + " and " + classes + "/",
            assertThrows(ConfigurationException.class, () -> registry.provider("carrier")).getMessage());
    }

    @Test
    void shouldRefuseAJarWhoseProviderCannotBeLoaded() throws IOException
    {
        final byte[] newer = bytes();
        // The version of the format of class files.
        newer[7] = 99;
        final TransportRegistry registry = discover(jar("newer.jar", newer));
        assertEquals(List.of(), registry.providers());
        final String reason = registry.refused().get(0).reason();
        assertTrue(reason.startsWith("its class cannot be loaded: java.lang.UnsupportedClassVersionError: "), reason);
        final String unknown =
            assertThrows(ConfigurationException.class, () -> registry.provider("carrier")).getMessage();
        assertTrue(unknown.endsWith("; one that has no name is refused: " + reason), unknown);
    }

    @Test
    void shouldRefuseANameThatTwoProvidersHave()
    {
        final TransportRegistry registry =
            TransportRegistry.of(List.of(new CarrierProvider(), new CarrierProvider()));
        assertEquals(List.of("carrier", "carrier"), registry.refused().stream().map(RefusedProvider::name).toList());
    }

    private static TransportRegistry discover(final Path... classPath) throws IOException
    {
        final List<URL> urls = new ArrayList<>();
        for (final Path path : classPath)
        {
            urls.add(path.toUri().toURL());
        }

        final Thread thread = Thread.currentThread();
        final ClassLoader before = thread.getContextClassLoader();
        try (URLClassLoader loader = new URLClassLoader(urls.toArray(new URL[0]), new WithoutCarrier()))
        {
            thread.setContextClassLoader(loader);
            return TransportRegistry.discover();
        }
        finally
        {
            thread.setContextClassLoader(before);
        }
    }

    private Path jar(final String name) throws IOException
    {
        return jar(name, bytes());
    }

    private Path jar(final String name, final byte[] type) throws IOException
    {
        final Path jar = folder.resolve(name);
        try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar)))
        {
            out.putNextEntry(new ZipEntry(CLASS));
            out.write(type);
            out.putNextEntry(new ZipEntry(SERVICE));
            out.write(CarrierProvider.class.getName().getBytes(StandardCharsets.UTF_8));
        }

        return jar;
    }

    private static byte[] bytes() throws IOException
    {
        try (InputStream in = CarrierProvider.class.getClassLoader().getResourceAsStream(CLASS))
        {
            return in.readAllBytes();
        }
    }
}
