/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.gate;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * C programs for aarch64 on another machine: compiled by GCC's cross compiler, run under QEMU's emulation of a process.
 * On Debian and Ubuntu the packages are gcc-aarch64-linux-gnu and qemu-user.
 */
public final class Aarch64Program
{
    /** Of the file. */
    public static final String NAME = "aarch64-program";

    private static final String COMPILER = "aarch64-linux-gnu-gcc";
    private static final List<String> EMULATORS = List.of("qemu-aarch64", "qemu-aarch64-static");
    private static final String LINKER = "lib/ld-linux-aarch64.so.1";

    private final Path program;

    private Aarch64Program(final Path program)
    {
        this.program = program;
    }

    /**
     * Why there are no such programs here.
     *
     * @return one clause, or null where there are.
     */
    public static String unavailableBecause()
    {
        if ("aarch64".equals(System.getProperty("os.arch")))
        {
            return "this machine is an aarch64: all other tests run its libraries";
        }

        if (null == find(List.of(COMPILER)))
        {
            return "there is no " + COMPILER + ": apt-get install gcc-aarch64-linux-gnu";
        }

        if (!Files.exists(headers().resolve("jni.h")))
        {
            return "there is no " + headers().resolve("jni.h");
        }

        return null == find(EMULATORS) ? "there is no qemu-aarch64: apt-get install qemu-user" : null;
    }

    /**
     * Compile a program, with the JDK's {@code jni.h}.
     *
     * @param source one C file.
     * @param folder of the program.
     * @return the program.
     * @throws IOException          if the source is not compiled without a warning.
     * @throws InterruptedException if this thread is interrupted.
     */
    public static Aarch64Program compile(final Path source, final Path folder) throws IOException, InterruptedException
    {
        final Path program = folder.resolve(NAME).toAbsolutePath();
        said(List.of(COMPILER, "-std=gnu11", "-O2", "-Wall", "-Wextra", "-Werror", "-I" + headers(),
            "-I" + headers().resolve("linux"), "-o", program.toString(), source.toString(), "-ldl"));
        return new Aarch64Program(program);
    }

    /**
     * What starts the program.
     *
     * @param arguments of the program.
     * @return a command, whose environment can be changed.
     * @throws IOException          if the compiler doesn't say where its libraries are.
     * @throws InterruptedException if this thread is interrupted.
     */
    public ProcessBuilder command(final List<String> arguments) throws IOException, InterruptedException
    {
        final String linker = said(List.of(COMPILER, "-print-file-name=" + Path.of(LINKER).getFileName())).strip();
        final Path root = Path.of(linker).toRealPath().getParent().getParent();
        final List<String> command =
            new ArrayList<>(List.of(find(EMULATORS).toString(), "-L", root.toString(), program.toString()));
        command.addAll(arguments);
        return new ProcessBuilder(command);
    }

    private static Path headers()
    {
        return Path.of(System.getProperty("java.home"), "include");
    }

    private static String said(final List<String> command) throws IOException, InterruptedException
    {
        final Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        final String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (0 != process.waitFor())
        {
            throw new IOException(command.get(0) + " failed: " + text);
        }

        return text;
    }

    private static Path find(final List<String> names)
    {
        for (final String name : names)
        {
            for (final String folder : System.getenv("PATH").split(":"))
            {
                final Path file = Path.of(folder, name);
                if (Files.isExecutable(file))
                {
                    return file;
                }
            }
        }

        return null;
    }
}
