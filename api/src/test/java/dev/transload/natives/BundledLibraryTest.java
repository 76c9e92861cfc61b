/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.natives;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BundledLibraryTest
{
    private static final String HERE = System.getProperty("os.arch");
    private static final String MISSING = "the jar has no /native/linux-" + HERE + "/libcarrier.so: ";

    @TempDir
    private Path folder;

    @Test
    void shouldNameTheArchitecturesThatTheJarHas() throws IOException
    {
        bundle("riscv64");
        bundle("s390x");
        assertEquals(MISSING + "it was built for riscv64, s390x, and this JVM runs on " + HERE, refusal());
    }

    @Test
    void shouldSayThatTheJarWasBuiltWithoutACompiler() throws IOException
    {
        assertEquals(MISSING + "it was built without a C compiler", refusal());
    }

    private void bundle(final String architecture) throws IOException
    {
        final Path library = folder.resolve("native/linux-" + architecture + "/libcarrier.so");
        Files.createDirectories(library.getParent());
        Files.createFile(library);
    }

    /** The class that owns the library is loaded from the folder, as a transport's is from its jar. */
    private String refusal() throws IOException
    {
        final String type = BundledLibraryTest.class.getName();
        final String resource = type.replace('.', '/') + ".class";
        final Path copy = folder.resolve(resource);
        Files.createDirectories(copy.getParent());
        Files.write(copy, BundledLibraryTest.class.getClassLoader().getResourceAsStream(resource).readAllBytes());
        try (URLClassLoader jar = new URLClassLoader(new URL[] {folder.toUri().toURL()}, null))
        {
            final Class<?> owner = Class.forName(type, false, jar);
            return assertThrows(IOException.class, () -> BundledLibrary.load(owner, "carrier", System::load))
                .getMessage();
        }
        catch (final ClassNotFoundException ex)
        {
            throw new AssertionError(ex);
        }
    }
}
