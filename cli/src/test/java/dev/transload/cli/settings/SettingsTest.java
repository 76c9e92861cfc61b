/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.settings;

import static dev.transload.cli.Refusals.assertRefused;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.transload.cli.outcome.ExitCodes;
import dev.transload.engine.EngineConfig;
import dev.transload.engine.OutputLayout;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SettingsTest
{
    private static final String CHANNELS = "transload.channels";

    @TempDir
    private Path folder;

    @Test
    void shouldPreferOptionsToPropertiesToEnvironmentToFileToDefaults() throws IOException
    {
        final Path file = file("transload { channels = 3, max-hidden = 1024 }");
        final Map<String, String> environment = Map.of("TRANSLOAD_CHANNELS", "4");
        final Settings all = Settings.load(
            file, Map.of(CHANNELS, "6"), Map.of(CHANNELS, "5"), environment);

        assertEquals(6, all.engine().channels());
        assertEquals(5, Settings.load(file, Map.of(), Map.of(CHANNELS, "5"), environment).engine().channels());
        assertEquals(4, Settings.load(file, Map.of(), Map.of(), environment).engine().channels());
        final Settings ofFile =
            Settings.load(file, Map.of(), Map.of(), Map.of()).withDefaults(Map.of(CHANNELS, "9"));
        assertEquals(3, ofFile.engine().channels());
        assertEquals(1024, ofFile.engine().maxHidden());
        assertEquals(9, Settings.load(null, Map.of(), Map.of(), Map.of())
            .withDefaults(Map.of(CHANNELS, "9")).engine().channels());
        assertTrue(ofFile.isChosen(CHANNELS));
        assertFalse(ofFile.isChosen("transload.nodes"));
    }

    @Test
    void shouldReadDashesAndDotsFromTheEnvironment()
    {
        final EngineConfig config = Settings.load(null, Map.of(), Map.of(), Map.of(
            "TRANSLOAD_DISPATCH_OUTPUT", "expert-major", "TRANSLOAD_SCALE_UP_CHUNK", "7",
            "TRANSLOAD_AERON_DATA_PATH", "messages", "TRANSLOAD_RANK", "3", "HOME", "x",
            "TRANSLOAD_CUDA_EMULATOR_DEVICES", "4")).engine();

        assertEquals(OutputLayout.EXPERT_MAJOR, config.output());
        assertEquals(7, config.scaleUp().chunk());
        assertEquals("messages", config.optionsOf("aeron").get("data-path"));
    }

    @Test
    void shouldSurviveRendering()
    {
        final Settings settings = Settings.load(null, Map.of(), Map.of("transload.aeron.mtu", "8192"), Map.of())
            .withDefaults(Map.of("transload.nodes", "3", "transload.ring-memory", "1000000 B"));

        assertEquals(settings.engine(), Settings.parse(settings.render()).engine());
    }

    @Test
    void shouldRefuseUnknownKeysByName() throws IOException
    {
        assertRefused(ExitCodes.BAD_INPUT, () -> definition("transload.chanels", "3").engine(), "transload.chanels");
        assertRefused(ExitCodes.BAD_INPUT, () -> definition("transload.scale-out.chnk", "3").engine(),
            "transload.scale-out.chnk", "chunk");
        assertRefused(ExitCodes.BAD_INPUT, () -> definition("chunk", "3"), "chunk is not a key",
            "transload.");
        assertRefused(ExitCodes.BAD_INPUT, () -> definition("transload.scale-upp.chunk", "3"),
            "transload.scale-upp", "aeron", "did you mean transload.scale-up?");
        assertRefused(ExitCodes.BAD_INPUT, () -> definition("transload.aeron.data-paht", "mapped"),
            "transload.aeron.data-paht", "did you mean transload.aeron.data-path?");
        assertRefused(ExitCodes.BAD_INPUT,
            () -> Settings.load(null, Map.of(), Map.of(), Map.of("TRANSLOAD_CHANELS", "3")),
            "TRANSLOAD_CHANELS", "did you mean TRANSLOAD_CHANNELS?");
        assertRefused(ExitCodes.BAD_INPUT, () -> Settings.load(null, Map.of(), Map.of(),
            Map.of("TRANSLOAD_THREADS_LAYOUT", "roles")).engine(), "transload.threads.layout is gone");
        final Path other = file("tranload { channels = 3 }");
        assertRefused(ExitCodes.BAD_INPUT, () -> Settings.load(other, Map.of(), Map.of(), Map.of()), "tranload");
        assertRefused(ExitCodes.BAD_INPUT,
            () -> Settings.load(folder.resolve("none"), Map.of(), Map.of(), Map.of()), "--config", "none");
        final Path broken = file("transload { channels = ");
        assertRefused(ExitCodes.BAD_INPUT, () -> Settings.load(broken, Map.of(), Map.of(), Map.of()), "test.conf");
    }

    @Test
    void shouldRefuseNestingThatNoStackHolds() throws IOException
    {
        final Path braces = file("transload " + "{ a ".repeat(20_000) + "= 1" + " }".repeat(20_000));
        assertRefused(ExitCodes.BAD_INPUT, () -> Settings.load(braces, Map.of(), Map.of(), Map.of()),
            "nested too deeply", "test.conf");
        assertRefused(ExitCodes.BAD_INPUT, () -> definition("transload" + ".a".repeat(20_000), "1"),
            "nested too deeply");
    }

    @Test
    void shouldRefuseRingsThatCouldDeadlock()
    {
        assertRefused(ExitCodes.BAD_INPUT, () -> Settings.load(null, Map.of(), Map.of("transload.scale-up.chunk", "8",
            "transload.scale-up.ring", "10", "transload.scale-up.credit-batch", "4"), Map.of()).engine(),
            "transload.scale-up.ring = 10", "deadlock", "11");
    }

    @Test
    void shouldRefuseAWorldThatIsNone()
    {
        assertRefused(ExitCodes.BAD_INPUT, () -> definition("transload.nodes", "0").positive("transload.nodes"),
            "transload.nodes = 0");
        assertRefused(ExitCodes.BAD_INPUT, () -> definition("transload.nodes", "two").positive("transload.nodes"),
            "two");
    }

    private static Settings definition(final String key, final String value)
    {
        return Settings.load(null, Map.of(), Map.of(key, value), Map.of());
    }

    private Path file(final String text) throws IOException
    {
        return Files.writeString(folder.resolve("test.conf"), text);
    }
}
