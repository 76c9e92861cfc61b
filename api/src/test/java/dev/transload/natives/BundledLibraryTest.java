/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.natives;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BundledLibraryTest
{
    private static final String NAME = BundledLibraryTest.class.getName();
    private static final String HERE = System.getProperty("os.arch");
    private static final String MISSING = "the jar has no /native/linux-" + HERE + "/libcarrier.so: ";

    @TempDir
    private Path folder;

    @Test
    void shouldNameTheArchitecturesThatTheJarHas() throws IOException
    {
        bundle("riscv64", new byte[0]);
        bundle("s390x", new byte[0]);
        assertEquals(MISSING + "it was built for riscv64, s390x, and this JVM runs on " + HERE, missing());
    }

    @Test
    void shouldSayThatTheJarWasBuiltWithoutACompiler() throws IOException
    {
        assertEquals(MISSING + "it was built without a C compiler", missing());
    }

    @Test
    void shouldSayThatThisIsNotLinux() throws IOException
    {
        final String system = System.setProperty("os.name", "Plan 9");
        try
        {
            assertEquals("libcarrier.so is for Linux, and this is Plan 9", missing());
        }
        finally
        {
            System.setProperty("os.name", system);
        }
    }

    @Test
    void shouldSayForWhichMachineALibraryIs() throws IOException
    {
        assumeTrue(List.of("amd64", "aarch64").contains(HERE), "a test for the architectures that jars have");
        final String other = "amd64".equals(HERE) ? "aarch64" : "amd64";
        bundle(HERE, elf("amd64".equals(HERE) ? 183 : 62));
        final String said = refusal();
        assertTrue(said.startsWith("libcarrier.so cannot be loaded: it is for " + other + ", and this JVM runs on " +
            HERE + " ("), said);

        bundle(HERE, "<html>".getBytes(StandardCharsets.UTF_8));
        assertTrue(refusal().contains("it is for no machine, being no ELF file, and"), refusal());
    }

    @Test
    void shouldTellWhatTheSystemSaysOfABrokenLibrary() throws IOException
    {
        assumeTrue("amd64".equals(HERE), "the header below is that of an amd64");
        bundle(HERE, elf(62));
        final String said = refusal();
        assertTrue(said.startsWith("libcarrier.so cannot be loaded: ") && said.contains("file too short"), said);
        assertFalse(said.contains(folder.toString()), "the copy is gone, and its path helps nobody: " + said);
    }

    @Test
    void shouldSayThatNothingIsExecutedFromTheTemporaryFolder() throws IOException, InterruptedException
    {
        bundle(HERE, elf("aarch64".equals(HERE) ? 183 : 62));
        final Path mounted = Files.createDirectory(folder.resolve("noexec"));
        assumeTrue(0 == exitCode("mount", "-t", "tmpfs", "-o", "noexec", "none", mounted.toString()),
            "only root can mount");
        try
        {
            final String said = refusal(mounted);
            assertTrue(said.startsWith("libcarrier.so cannot be loaded: " + mounted + " is mounted noexec: set " +
                "-Djava.io.tmpdir to a folder whose files may be executed ("), said);
            assertEquals(List.of(), List.of(mounted.toFile().list()), "the copy is deleted");
        }
        finally
        {
            assertEquals(0, exitCode("umount", mounted.toString()));
        }
    }

    /** Two copies would share out the native methods, and what one was told the other would not know. */
    @Test
    void shouldLoadOnceForAClassLoader() throws Exception
    {
        bundle(HERE, new byte[0]);
        final List<String> loaded = new ArrayList<>();
        try (URLClassLoader first = ownLoader(); URLClassLoader second = ownLoader())
        {
            for (final URLClassLoader jar : List.of(first, first, second))
            {
                BundledLibrary.load(Class.forName(NAME, false, jar), "carrier", loaded::add, folder);
            }

            assertEquals(2, loaded.size());
            assertThrows(UnsatisfiedLinkError.class, () -> load(folder));
        }
    }

    /** What was refused is tried again. */
    @Test
    void shouldTryAgainAfterARefusal() throws Exception
    {
        bundle(HERE, new byte[0]);
        final List<String> loaded = new ArrayList<>();
        try (URLClassLoader jar = ownLoader())
        {
            final Class<?> owner = Class.forName(NAME, false, jar);
            assertThrows(UnsatisfiedLinkError.class,
                () -> BundledLibrary.load(owner, "carrier", System::load, folder));
            BundledLibrary.load(owner, "carrier", loaded::add, folder);
            assertEquals(1, loaded.size());
        }
    }

    @Test
    void shouldSayThatTheTemporaryFolderTakesNoFile() throws IOException
    {
        bundle(HERE, new byte[0]);
        final Path absent = folder.resolve("absent");
        assertEquals("libcarrier.so cannot be copied to " + absent + " (there is no such folder): set " +
            "-Djava.io.tmpdir to a folder that can be written", assertThrows(IOException.class, () -> load(absent))
            .getMessage());
    }

    /** As glibc 2.36 and musl 1.2.3 say it. */
    @Test
    void shouldTellAnOldGlibcAndMusl()
    {
        final String old = "/lib64/libc.so.6: version `GLIBC_2.34' not found (required by carrier.so)";
        final String absent = "Error loading shared library ld-linux-x86-64.so.2: No such file or directory";
        final String symbol = "Error relocating carrier.so: __memcpy_chk: symbol not found";

        assertEquals("it needs glibc 2.34 or newer, which this machine does not have (" + old + ")",
            BundledLibrary.whyRefused(old));
        assertEquals("it needs glibc, and this JVM runs with musl (" + absent + ")", BundledLibrary.whyRefused(absent));
        assertEquals("it needs glibc, and this JVM runs with musl (" + symbol + ")", BundledLibrary.whyRefused(symbol));
        assertEquals("file too short", BundledLibrary.whyRefused("file too short"));
    }

    private static byte[] elf(final int machine)
    {
        return ByteBuffer.allocate(20).order(ByteOrder.LITTLE_ENDIAN).put(new byte[]{0x7F, 'E', 'L', 'F', 2, 1, 1})
            .putShort(18, (short)machine).array();
    }

    private static int exitCode(final String... command) throws IOException, InterruptedException
    {
        return new ProcessBuilder(command).redirectErrorStream(true).start().waitFor();
    }

    private void bundle(final String architecture, final byte[] content) throws IOException
    {
        final Path library = folder.resolve("native/linux-" + architecture + "/libcarrier.so");
        Files.createDirectories(library.getParent());
        Files.write(library, content);
    }

    private String missing() throws IOException
    {
        return assertThrows(IOException.class, () -> load(folder)).getMessage();
    }

    private String refusal() throws IOException
    {
        return refusal(folder);
    }

    private String refusal(final Path temporary) throws IOException
    {
        return assertThrows(UnsatisfiedLinkError.class, () -> load(temporary)).getMessage();
    }

    /** The class that owns the library is loaded from the folder, as a transport's is from its jar. */
    private URLClassLoader ownLoader() throws IOException
    {
        final String resource = NAME.replace('.', '/') + ".class";
        final Path copy = folder.resolve(resource);
        Files.createDirectories(copy.getParent());
        Files.write(copy, BundledLibraryTest.class.getClassLoader().getResourceAsStream(resource).readAllBytes());
        return new URLClassLoader(new URL[] {folder.toUri().toURL()}, null);
    }

    private void load(final Path temporary) throws IOException
    {
        try (URLClassLoader jar = ownLoader())
        {
            BundledLibrary.load(Class.forName(NAME, false, jar), "carrier", System::load, temporary);
        }
        catch (final ClassNotFoundException ex)
        {
            throw new AssertionError(ex);
        }
    }
}
