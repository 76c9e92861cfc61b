/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.settings;

import static dev.transload.cli.Refusals.assertRefused;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.transload.cli.outcome.ExitCodes;
import dev.transload.engine.EngineConfig;
import dev.transload.spi.TransportProvider;
import dev.transload.spi.TransportRegistry;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which transport carries a stage where several are found. */
class DefaultTransportTest
{
    private static final String SCALE_OUT = "transload.scale-out.transport";
    private static final String SCALE_UP = "transload.scale-up.transport";

    private final ClassLoader before = Thread.currentThread().getContextClassLoader();

    @TempDir
    private Path folder;

    private URLClassLoader loader;

    @BeforeEach
    void findASecondTransport() throws IOException
    {
        final Path services = Files.createDirectories(folder.resolve("META-INF/services"));
        Files.writeString(services.resolve(TransportProvider.class.getName()), SecondProvider.class.getName());
        loader = new URLClassLoader(new URL[]{ folder.toUri().toURL() }, before);
        Thread.currentThread().setContextClassLoader(loader);
    }

    @AfterEach
    void forgetIt() throws IOException
    {
        Thread.currentThread().setContextClassLoader(before);
        loader.close();
    }

    @Test
    void shouldTakeAeronWhereNobodyChose()
    {
        assertTransports("aeron", "aeron", Settings.load(null, Map.of(), Map.of(), Map.of()));
    }

    @Test
    void shouldFollowWhoeverChooses() throws IOException
    {
        final Path file = Files.writeString(folder.resolve("test.conf"), SCALE_OUT + " = second");

        assertTransports("second", "aeron", Settings.load(null, Map.of(SCALE_OUT, "second"), Map.of(), Map.of()));
        assertTransports("aeron", "second", Settings.load(null, Map.of(), Map.of(SCALE_UP, "second"), Map.of()));
        assertTransports("aeron", "second", Settings.load(null, Map.of(), Map.of(),
            Map.of("TRANSLOAD_SCALE_UP_TRANSPORT", "second")));
        assertTransports("second", "aeron", Settings.load(file, Map.of(), Map.of(), Map.of()));
    }

    @Test
    void shouldPreferWhatACommandFindsFitting()
    {
        assertTransports("aeron", "second",
            Settings.load(null, Map.of(), Map.of(), Map.of()).withDefaults(Map.of(SCALE_UP, "second")));
    }

    @Test
    void shouldKeepTheDefaultInWhatRanksAreTold()
    {
        assertTransports("aeron", "aeron",
            Settings.parse(Settings.load(null, Map.of(), Map.of(), Map.of()).render()));
    }

    @Test
    void shouldLetTheEngineRefuseAnAutoThatWasAskedFor()
    {
        final Settings settings = Settings.load(null, Map.of(SCALE_UP, "auto"), Map.of(), Map.of());

        assertRefused(ExitCodes.BAD_INPUT, () -> settings.engine().resolve(TransportRegistry.discover()),
            SCALE_UP, "aeron", "second");
    }

    private static void assertTransports(final String scaleOut, final String scaleUp, final Settings settings)
    {
        final EngineConfig config = settings.engine().resolve(TransportRegistry.discover());
        assertEquals(scaleOut, config.scaleOut().transport());
        assertEquals(scaleUp, config.scaleUp().transport());
    }
}
