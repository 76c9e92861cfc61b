/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.natives;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A native library in the jar of a module. The jar contains the library only if the build found a C compiler. */
public final class BundledLibrary
{
    /** Names that JVMs give to machines on which Linux runs; a jar may have a library for any of them. */
    private static final List<String> ARCHITECTURES =
        List.of("amd64", "aarch64", "arm", "i386", "loongarch64", "ppc64le", "riscv64", "s390x");

    /** Magic number of an ELF file; the machine is a short of little-endian order, as on all those below. */
    private static final byte[] ELF_MAGIC = {0x7F, 'E', 'L', 'F'};
    private static final int ELF_MACHINE = 18;
    private static final Map<Integer, String> MACHINES =
        Map.of(3, "i386", 40, "arm", 62, "amd64", 183, "aarch64", 243, "riscv64", 258, "loongarch64");

    private static final Pattern NEWER_GLIBC = Pattern.compile("version `GLIBC_([0-9.]+)' not found");

    /** What the dynamic linker of musl says of libraries and functions that only glibc has. */
    private static final Pattern MUSL = Pattern.compile("Error (loading shared library|relocating)");

    /** What each class loader has. Of two copies the JVM may take methods from both, and each has its own state. */
    private static final Map<ClassLoader, Set<String>> LOADED = new WeakHashMap<>();

    private BundledLibrary()
    {
    }

    /**
     * Returns the resource name under which the build stores a library. The resource name contains the machine
     * architecture as the system property {@code os.arch} names it.
     *
     * @param name name of the library, as in {@code lib<name>.so}.
     * @return absolute name of the resource.
     */
    public static String resource(final String name)
    {
        return resource(name, System.getProperty("os.arch"));
    }

    /**
     * Loads a library. This method copies the library to a temporary file, loads it from there and deletes the file. If
     * the class loader of the owner has already loaded the library, this method does nothing.
     *
     * @param owner  class of the module that contains the library.
     * @param name   name of the library, as in {@code lib<name>.so}.
     * @param loader consumer that calls {@link System#load} with the path that it receives. {@code System.load} must be
     *               called by the owner's code, because the JVM looks up the native methods of a class only in
     *               libraries that were loaded by the class loader of this class.
     * @throws IOException          if the jar has no library for this machine, or the library cannot be copied.
     * @throws UnsatisfiedLinkError if the library cannot be loaded, for example because it is for another machine or a
     *                              newer glibc, or because the file system does not allow execution.
     */
    public static void load(final Class<?> owner, final String name, final Consumer<String> loader) throws IOException
    {
        load(owner, name, loader, Path.of(System.getProperty("java.io.tmpdir")));
    }

    static void load(
        final Class<?> owner, final String name, final Consumer<String> loader, final Path folder) throws IOException
    {
        final String system = System.getProperty("os.name");
        if (!"Linux".equals(system))
        {
            throw new IOException("lib" + name + ".so is for Linux, and this is " + system);
        }

        final String resource = resource(name);
        try (InputStream library = owner.getResourceAsStream(resource))
        {
            if (null == library)
            {
                throw new IOException("the jar has no " + resource + ": " + whyMissing(owner, name));
            }

            synchronized (LOADED)
            {
                final Set<String> loaded = LOADED.computeIfAbsent(owner.getClassLoader(), (any) -> new HashSet<>());
                if (!loaded.contains(name))
                {
                    loadCopy(library, name, loader, folder);
                    loaded.add(name);
                }
            }
        }
    }

    private static void loadCopy(final InputStream library, final String name, final Consumer<String> loader,
        final Path folder) throws IOException
    {
        final Path copy = copy(library, name, folder);
        try
        {
            loader.accept(copy.toString());
        }
        catch (final UnsatisfiedLinkError ex)
        {
            final UnsatisfiedLinkError told = new UnsatisfiedLinkError("lib" + name + ".so cannot be loaded: " +
                whyRefused(copy, String.valueOf(ex.getMessage()).replace(copy + ": ", "")));
            told.initCause(ex);
            throw told;
        }
        finally
        {
            Files.deleteIfExists(copy);
        }
    }

    private static Path copy(final InputStream library, final String name, final Path folder) throws IOException
    {
        Path copy = null;
        try
        {
            copy = Files.createTempFile(folder, name + "-", ".so");
            Files.copy(library, copy, StandardCopyOption.REPLACE_EXISTING);
            return copy;
        }
        catch (final IOException ex)
        {
            if (null != copy)
            {
                Files.deleteIfExists(copy);
            }

            throw new IOException("lib" + name + ".so cannot be copied to " + folder + " (" +
                whyNotWritten(ex, folder) + "): set -Djava.io.tmpdir to a folder that can be written", ex);
        }
    }

    private static String whyNotWritten(final IOException ex, final Path folder)
    {
        return !Files.isDirectory(folder) ? "there is no such folder" :
            ex instanceof AccessDeniedException ? "it must not be written" :
            ex instanceof FileSystemException refusal && null != refusal.getReason() ? refusal.getReason() :
            ex.getMessage();
    }

    /** What the dynamic linker says names the cause of few failures; these are told in front of it. */
    private static String whyRefused(final Path copy, final String said) throws IOException
    {
        final String machine = machineOf(copy);
        final String here = System.getProperty("os.arch");
        if (MACHINES.containsValue(here) && !machine.equals(here))
        {
            return "it is for " + machine + ", and this JVM runs on " + here + " (" + said + ")";
        }

        // The system refuses execution of any file of such a mount, whatever its permissions are.
        if (!copy.toFile().setExecutable(true) || !Files.isExecutable(copy))
        {
            return copy.getParent() + " is mounted noexec: set -Djava.io.tmpdir to a folder whose files may be " +
                "executed (" + said + ")";
        }

        return whyRefused(said);
    }

    static String whyRefused(final String said)
    {
        final Matcher glibc = NEWER_GLIBC.matcher(said);
        return glibc.find() ?
            "it needs glibc " + glibc.group(1) + " or newer, which this machine does not have (" + said + ")" :
            MUSL.matcher(said).find() ? "it needs glibc, and this JVM runs with musl (" + said + ")" : said;
    }

    private static String machineOf(final Path library) throws IOException
    {
        final byte[] header = new byte[ELF_MACHINE + Short.BYTES];
        try (InputStream file = Files.newInputStream(library))
        {
            file.readNBytes(header, 0, header.length);
        }

        if (!Arrays.equals(ELF_MAGIC, Arrays.copyOf(header, ELF_MAGIC.length)))
        {
            return "no machine, being no ELF file";
        }

        final int machine = header[ELF_MACHINE] & 0xFF | (header[ELF_MACHINE + 1] & 0xFF) << 8;
        return MACHINES.getOrDefault(machine, "ELF machine " + machine);
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
