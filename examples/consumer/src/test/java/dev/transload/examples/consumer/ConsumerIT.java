/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.examples.consumer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.transload.gate.Advisory;
import java.io.File;
import java.io.IOException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What the jars bring into the class path of a project, and that they run beside what may be there already. */
@Timeout(120)
class ConsumerIT
{
    private static final Path TARGET = Path.of("target");
    private static final Path ROOT = Path.of("..", "..");
    private static final Path OLD_GUAVA = TARGET.resolve("old-guava").resolve("guava-14.0.1.jar");
    private static final String FREE_LICENCES = "(The )?(Apache|MIT|BSD).*";
    private static final int MAX_JARS = 13;
    private static final long MAX_BYTES = 6_000_000;

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
    void shouldBringNoVersionWithAKnownVulnerability() throws IOException
    {
        final Set<Path> jars = classPathOfAllModules();
        final List<Advisory> about = new ArrayList<>();
        for (final Advisory advisory : Advisory.readAll(ROOT.resolve("config").resolve("advisories.txt")))
        {
            final List<Path> found = advisory.of(jars);
            assertEquals(List.of(), found.stream().filter(advisory::affects).toList(), advisory::toString);
            if (!found.isEmpty())
            {
                about.add(advisory);
            }
        }

        // The others are about libraries of the command line.
        assertFalse(about.isEmpty(), () -> "the list is about none of " + jars);
    }

    /** Each library is in the tree, and is under a licence that an application may have in its class path. */
    @Test
    void shouldPrintItsTreeAndTheLicencesOfItsLibraries() throws IOException
    {
        final String tree = Files.readString(TARGET.resolve("tree"));
        final String licences = Files.readString(TARGET.resolve("licences"));
        System.out.println(tree + System.lineSeparator() + licences);
        for (final Path jar : classPath("runtime"))
        {
            final String name = jar.getFileName().toString().replaceFirst("-\\d.*", "");
            assertEquals(1, all(tree, "(?m)^[^:]* [a-z0-9.]+:" + name + ":jar:([^:]+):(?:compile|runtime)$").size(),
                jar::toString);
            final List<String> found = all(licences, "(?m)^ *\\((.+)\\) [^(]+\\([a-z0-9.]+:" + name + ":[^:]+ - ");
            assertEquals(1, found.size(), jar::toString);
            assertTrue(found.get(0).matches(FREE_LICENCES), () -> jar + " is under " + found.get(0));
        }
    }

    /** But for the archetype, on which nothing depends. */
    @Test
    void shouldHaveEveryPublishedModuleInTheBom() throws IOException
    {
        final Set<String> published = new TreeSet<>();
        for (final String module : all(Files.readString(ROOT.resolve("pom.xml")), "<module>([^<]+)</module>"))
        {
            final String pom = Files.readString(ROOT.resolve(module).resolve("pom.xml"));
            if (!pom.contains("<maven.deploy.skip>true</maven.deploy.skip>"))
            {
                published.add("transload-" + module);
            }
        }

        final String bom = Files.readString(ROOT.resolve("bom").resolve("pom.xml"));
        final Set<String> inBom = new TreeSet<>(all(bom, "<artifactId>(transload-[^<]+)</artifactId>"));
        inBom.remove("transload-parent");
        inBom.add("transload-archetype");
        assertEquals(published, inBom);
    }

    /** A module path finds jars by these names, and lets no two of them have one package. */
    @Test
    void shouldNameModulesAndHaveTheLicenceInEachJar() throws IOException
    {
        final Map<String, String> moduleOfPackage = new TreeMap<>();
        final Set<String> modules = new TreeSet<>();
        for (final Path path : classPathOfAllModules())
        {
            if (!path.getFileName().toString().startsWith("transload-"))
            {
                continue;
            }

            try (JarFile jar = new JarFile(path.toFile()))
            {
                final String module = jar.getManifest().getMainAttributes().getValue("Automatic-Module-Name");
                assertTrue(null != module && module.startsWith("dev.transload."), path + ": " + module);
                assertTrue(modules.add(module), "two jars are " + module);
                assertNotNull(jar.getEntry("META-INF/LICENSE"), path + " has no licence");
                assertNotNull(jar.getEntry("META-INF/NOTICE"), path + " has no notice");
                jar.stream().map(JarEntry::getName).filter((name) -> name.endsWith(".class"))
                    .map((name) -> name.substring(0, name.lastIndexOf('/'))).distinct().forEach((name) ->
                        assertNull(moduleOfPackage.put(name, module), name + " is in two jars, one is " + module));
            }
        }
    }

    /** All others are named internal, which the comparison with an earlier release leaves out. */
    @Test
    void shouldDocumentThePackagesOfThePublicApi() throws IOException
    {
        final Set<String> packages = new TreeSet<>();
        for (final Path path : classPathOfAllModules())
        {
            if (path.getFileName().toString().startsWith("transload-"))
            {
                try (JarFile jar = new JarFile(path.toFile()))
                {
                    jar.stream().map(JarEntry::getName).filter((name) -> name.endsWith(".class"))
                        .map((name) -> name.substring(0, name.lastIndexOf('/')).replace('/', '.'))
                        .filter((name) -> !(name + ".").contains(".internal.")).forEach(packages::add);
                }
            }
        }

        final String page = Files.readString(ROOT.resolve("docs").resolve("EMBEDDING.md"));
        final int begin = page.indexOf("| artifact | packages |");
        assertEquals(packages, new TreeSet<>(
            all(page.substring(begin, page.indexOf("\n\n", begin)), "`(dev\\.transload\\.[a-z.]+)`")));
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
            assertEquals(List.of(true, true, true, true), user.loadClass(FourRanks.class.getName())
                .getMethod("run").invoke(null));
        }
        finally
        {
            Thread.currentThread().setContextClassLoader(before);
        }
    }

    private static List<String> all(final String text, final String pattern)
    {
        return Pattern.compile(pattern).matcher(text).results().map((found) -> found.group(1)).toList();
    }

    private static List<Path> classPath(final String scope) throws IOException
    {
        return Arrays.stream(Files.readString(TARGET.resolve(scope + "-classpath")).strip().split(File.pathSeparator))
            .map(Path::of).toList();
    }

    private static Set<Path> classPathOfAllModules() throws IOException
    {
        final Set<Path> jars = new TreeSet<>(classPath("runtime"));
        jars.addAll(classPath("provided"));
        return jars;
    }

    private static List<String> names(final List<Path> jars)
    {
        return jars.stream().map((jar) -> jar.getFileName().toString()).toList();
    }

    private static URL url(final Path path) throws MalformedURLException
    {
        return path.toUri().toURL();
    }
}
