/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.natives;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.function.Consumer;

/** A native library that travels in a module's jar, where the build found a C compiler. */
public final class BundledLibrary
{
    /** Names that JVMs give to machines on which Linux runs; a jar may have a library for any of them. */
    private static final List<String> ARCHITECTURES =
        List.of("amd64", "aarch64", "arm", "i386", "loongarch64", "ppc64le", "riscv64", "s390x");

    private BundledLibrary()
    {
    }

    /**
     * Where the build puts a library: the JVM's name of the machine is part of it.
     *
     * @param name as in {@code lib<name>.so}.
     * @return absolute name of the resource.
     */
    public static String resource(final String name)
    {
        return resource(name, System.getProperty("os.arch"));
    }

    /**
     * Load a library: copied to a file of our own, which is deleted as soon as it is mapped.
     *
     * @param owner  class of the module that has the library.
     * @param name   as in {@code lib<name>.so}.
     * @param loader calls {@link System#load} with the path it is given; in the owner's code, since the JVM looks for
     *               native methods among the libraries that the class loader of the caller has loaded.
     * @throws IOException          if the jar has no such library for this machine, or it can't be copied.
     * @throws UnsatisfiedLinkError if it can't be loaded.
     */
    public static void load(final Class<?> owner, final String name, final Consumer<String> loader) throws IOException
    {
        final String resource = resource(name);
        try (InputStream library = owner.getResourceAsStream(resource))
        {
            if (null == library)
            {
                throw new IOException("the jar has no " + resource + ": " + whyMissing(owner, name));
            }

            final Path copy = Files.createTempFile(name + "-", ".so");
            try
            {
                Files.copy(library, copy, StandardCopyOption.REPLACE_EXISTING);
                loader.accept(copy.toString());
            }
            finally
            {
                Files.deleteIfExists(copy);
            }
        }
    }

    private static String resource(final String name, final String architecture)
    {
        return "/native/linux-" + architecture + "/lib" + name + ".so";
    }

    private static String whyMissing(final Class<?> owner, final String name)
    {
        final List<String> present = ARCHITECTURES.stream()
            .filter((architecture) -> null != owner.getResource(resource(name, architecture))).toList();
        return present.isEmpty() ? "it was built without a C compiler" :
            "it was built for " + String.join(", ", present) + ", and this JVM runs on " +
            System.getProperty("os.arch");
    }
}
