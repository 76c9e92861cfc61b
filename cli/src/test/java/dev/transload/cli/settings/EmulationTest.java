/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.settings;

import static dev.transload.cli.Refusals.assertRefused;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.transload.cli.outcome.ExitCodes;
import dev.transload.spi.Availability;
import dev.transload.spi.ConfigOption;
import dev.transload.spi.RegisteredProvider;
import dev.transload.spi.SpiVersion;
import dev.transload.spi.Transport;
import dev.transload.spi.TransportConfig;
import dev.transload.spi.TransportProvider;
import dev.transload.spi.TransportUnavailableException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Where the emulator of a device's driver is looked for. */
class EmulationTest
{
    private static final String KEY = "transload.warp.library";

    @TempDir
    private Path sources;

    /** A transport that needs the library of a driver. */
    private static final class WarpProvider implements TransportProvider
    {
        @Override
        public String name()
        {
            return "warp";
        }

        @Override
        public int spiVersion()
        {
            return SpiVersion.CURRENT;
        }

        @Override
        public List<ConfigOption> options()
        {
            return List.of(new ConfigOption("library", "libwarp.so", "a path", "The driver's library."));
        }

        @Override
        public Availability probe(final TransportConfig config)
        {
            return new Availability.Unavailable("it is made up", null);
        }

        @Override
        public Transport open(final TransportConfig config)
        {
            throw new TransportUnavailableException("it is made up", null);
        }
    }

    private String library(final Path jar)
    {
        final Settings given = Settings.load(null, Map.of(), Map.of(), Map.of()).with(Map.of(KEY, "libwarp.so"));
        return Emulation.apply(given, List.of(new RegisteredProvider(new SecondProvider(), "none.jar"),
            new RegisteredProvider(new WarpProvider(), jar.toString())), Set.of("warp", "second"))
            .config().getString(KEY);
    }

    private Path emulator() throws IOException
    {
        final Path folder = Files.createDirectories(sources.resolve("transport-warp-jni/target/emulator"));
        return Files.createFile(folder.resolve("libwarp_emulator.so"));
    }

    private Path jarOfTheCommandLine() throws IOException
    {
        final Path folder = Files.createDirectories(sources.resolve("cli/target/lib"));
        return Files.createFile(folder.resolve("transload-transport-warp-jni-0.1.0-SNAPSHOT.jar"));
    }

    @Test
    void shouldFindTheEmulatorBesideTheModulesClassesOrJar() throws IOException
    {
        final Path emulator = emulator();
        final Path target = emulator.getParent().getParent();
        assertEquals(emulator.toString(), library(Files.createDirectory(target.resolve("classes"))));
        assertEquals(emulator.toString(), library(Files.createFile(target.resolve("any.jar"))));
    }

    @Test
    void shouldFindTheEmulatorOfTheModuleThatTheJarIsFrom() throws IOException
    {
        final Path emulator = emulator();
        final Path other = Files.createDirectories(sources.resolve("transport-other/target/emulator"));
        Files.createFile(other.resolve("libother_emulator.so"));
        assertEquals(emulator.toString(), library(jarOfTheCommandLine()));
    }

    @Test
    void shouldSayWhereThereIsNone() throws IOException
    {
        Files.createDirectory(sources.resolve("transport-warp-jni"));
        final Path jar = jarOfTheCommandLine();
        assertRefused(ExitCodes.UNAVAILABLE, () -> library(jar), "--emulate", "transport warp", "is not built",
            sources.resolve("transport-warp-jni/target/emulator").toString(), "mvn test-compile");
    }

    @Test
    void shouldRefuseTransportsWithoutADevice()
    {
        final Settings given = Settings.load(null, Map.of(), Map.of(), Map.of());
        assertRefused(ExitCodes.BAD_INPUT, () -> Emulation.apply(given,
            List.of(new RegisteredProvider(new SecondProvider(), "none.jar")), Set.of("second")),
            "--emulate", "transport second has no device to emulate");
    }
}
