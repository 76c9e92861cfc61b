/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.examples.consumer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.MalformedURLException;
import java.net.ServerSocket;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What the jars bring into the class path of a project, and that they run beside what may be there already. */
@Timeout(120)
class ConsumerIT
{
    private static final Path TARGET = Path.of("target");
    private static final Path OLD_GUAVA = TARGET.resolve("old-guava").resolve("guava-14.0.1.jar");
    private static final int MAX_JARS = 13;
    private static final long MAX_BYTES = 6_000_000;

    /** Guava 32.0.0 closed the last vulnerability that is known. */
    private static final int FIRST_SECURE_GUAVA = 32;

    @Test
    void shouldBringNoGuiceGuavaOrJna() throws IOException
    {
        final String unwanted = "guice|guava|failureaccess|listenablefuture|jna|aopalliance|jakarta\\.inject.*";
        assertEquals(List.of(), names(classPath("runtime")).stream()
            .filter((name) -> name.matches("(" + unwanted + ")-\\d.*")).toList());
    }

    @Test
    void shouldBringFewAndSmallJars() throws IOException
    {
        final List<Path> jars = classPath("runtime");
        assertTrue(jars.size() <= MAX_JARS, jars.size() + " jars: " + names(jars));
        long bytes = 0;
        for (final Path jar : jars)
        {
            assertTrue(Files.isRegularFile(jar), jar + " is no jar: this test runs behind the phase package");
            bytes += Files.size(jar);
        }

        assertTrue(bytes <= MAX_BYTES, bytes + " bytes: " + names(jars));
    }

    @Test
    void shouldBringASecureGuavaWithTheGuiceModule() throws IOException
    {
        final String name = names(classPath("provided")).stream()
            .filter((jar) -> jar.startsWith("guava-")).collect(Collectors.joining(", "));
        final Matcher version = Pattern.compile("guava-(\\d+)\\..*").matcher(name);
        assertTrue(version.matches() && Integer.parseInt(version.group(1)) >= FIRST_SECURE_GUAVA,
            "Guava of transload-guice: " + name);
    }

    /** In a class loader of its own, since JUnit is on the class path of this test. */
    @Test
    void shouldExchangeWithAnOldGuavaAheadOnTheClassPath() throws IOException, ReflectiveOperationException
    {
        final List<URL> urls = new ArrayList<>();
        urls.add(url(OLD_GUAVA));
        for (final Path jar : classPath("runtime"))
        {
            urls.add(url(jar));
        }

        urls.add(url(TARGET.resolve("test-classes")));
        final ClassLoader before = Thread.currentThread().getContextClassLoader();
        try (URLClassLoader user =
            new URLClassLoader(urls.toArray(new URL[0]), ClassLoader.getPlatformClassLoader()))
        {
            assertEquals(url(OLD_GUAVA), user.loadClass("com.google.common.base.Stopwatch")
                .getProtectionDomain().getCodeSource().getLocation());
            Thread.currentThread().setContextClassLoader(user);
            assertEquals(List.of(true, true), user.loadClass(TwoRanks.class.getName())
                .getMethod("run", String.class).invoke(null, "127.0.0.1:" + freePort()));
        }
        finally
        {
            Thread.currentThread().setContextClassLoader(before);
        }
    }

    private static List<Path> classPath(final String scope) throws IOException
    {
        return Arrays.stream(Files.readString(TARGET.resolve(scope + "-classpath")).strip().split(File.pathSeparator))
            .map(Path::of).toList();
    }

    private static List<String> names(final List<Path> jars)
    {
        return jars.stream().map((jar) -> jar.getFileName().toString()).toList();
    }

    private static URL url(final Path path) throws MalformedURLException
    {
        return path.toUri().toURL();
    }

    private static int freePort() throws IOException
    {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress()))
        {
            return socket.getLocalPort();
        }
    }
}
