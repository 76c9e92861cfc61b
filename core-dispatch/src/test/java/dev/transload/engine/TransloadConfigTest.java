/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.typesafe.config.ConfigFactory;
import dev.transload.engine.lowlatency.LowLatencyConfig;
import dev.transload.spi.ConfigurationException;
import dev.transload.spi.TransportRegistry;
import dev.transload.tck.stepping.SteppingFabric;
import dev.transload.tck.stepping.SteppingOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Layers of settings, and the names that are refused. */
class TransloadConfigTest
{
    private static final String CHANNELS = "transload.channels";
    private static final TransportRegistry TRANSPORTS = TransportRegistry.of(List.of(
        new SteppingFabric(1, 1, SteppingOptions.host()).provider()));

    @TempDir
    private Path folder;

    private static TransloadConfig load(
        final Map<String, String> environment, final Path file, final Map<String, String> overrides)
    {
        return TransloadConfig.load(environment, file, overrides, TRANSPORTS);
    }

    private Path file(final String text) throws IOException
    {
        return Files.writeString(folder.resolve("test.conf"), text);
    }

    private static void assertRefused(final String key, final String value, final String... parts)
    {
        Messages.assertRefused(
            ConfigurationException.class, () -> load(Map.of(), null, Map.of(key, value)), parts);
    }

    @Test
    void shouldPreferOverridesToPropertiesToVariablesToFileToDefaultsToReference() throws IOException
    {
        final Path file = file("transload { channels = 3, max-hidden = 1024 }");
        final Map<String, String> environment = Map.of("TRANSLOAD_CHANNELS", "4");
        assertEquals("6", load(environment, file, Map.of(CHANNELS, "6")).config().getString(CHANNELS));
        System.setProperty(CHANNELS, "5");
        try
        {
            assertEquals("6", load(environment, file, Map.of(CHANNELS, "6")).config().getString(CHANNELS));
            assertEquals("5", load(environment, file, Map.of()).config().getString(CHANNELS));
        }
        finally
        {
            System.clearProperty(CHANNELS);
        }

        assertEquals("4", load(environment, file, Map.of()).config().getString(CHANNELS));
        final TransloadConfig loaded = load(Map.of(), file, Map.of())
            .withDefaults(Map.of(CHANNELS, "9", "transload.max-topk", "2"));
        assertEquals("3", loaded.config().getString(CHANNELS));
        assertEquals("2", loaded.config().getString("transload.max-topk"));
        assertEquals("7", loaded.with(Map.of(CHANNELS, "7")).config().getString(CHANNELS));
        assertEquals("512", loaded.config().getString("transload.max-experts"));
        assertTrue(loaded.chosen().hasPath(CHANNELS));
        assertFalse(loaded.chosen().hasPath("transload.max-topk"));
    }

    @Test
    void shouldReadAllModesFromVariables()
    {
        final TransloadConfig loaded = load(Map.of("TRANSLOAD_SCALE_UP_CHUNK", "7", "TRANSLOAD_RANKS_PER_NODE", "3",
            "TRANSLOAD_LOW_LATENCY_MAX_TOKENS", "99", "TRANSLOAD_STEPPING_LABEL", "x", "TRANSLOAD_RANK", "3",
            "TRANSLOAD_X_EMULATOR_DEVICES", "4", "HOME", "/"), null, Map.of("transload.ranks-per-node", "8,4"));

        assertEquals(7, loaded.engine().scaleUp().chunk());
        assertEquals(12, loaded.engine().worldSize());
        assertEquals("x", loaded.engine().optionsOf("stepping").get("label"));
        assertEquals(99, LowLatencyConfig.from(loaded.config()).maxTokens());
    }

    @Test
    void shouldSubstituteVariablesAndKeysInTheFile() throws IOException
    {
        final Path file = file("""
            transload {
              max-topk = ${WANTED}
              max-experts = ${transload.max-topk}
              channels = ${?ABSENT}
              threads.cores = [1]
              threads.cores = ${transload.threads.cores} [3]
              scale-out { chunk = 3, ring = 9 }
              scale-up = ${transload.scale-out} { ring = 7 }
            }
            """);
        final TransloadConfig loaded = load(Map.of("WANTED", "5"), file, Map.of());
        assertEquals(5, loaded.engine().maxTopk());
        assertEquals(5, loaded.engine().maxExperts());
        assertEquals(List.of(1, 3), loaded.config().getIntList("transload.threads.cores"));
        assertEquals(4, loaded.with(Map.of("transload.max-topk", "4")).engine().maxExperts());
        assertFalse(loaded.chosen().hasPath(CHANNELS));
        assertEquals(5, loaded.chosen().getInt("transload.max-experts"));
        assertEquals(List.of(1, 3), loaded.chosen().getIntList("transload.threads.cores"));
        assertEquals(7, loaded.chosen().getInt("transload.scale-up.ring"));
        assertEquals(3, loaded.chosen().getInt("transload.scale-up.chunk"));
        Messages.assertRefused(ConfigurationException.class, () -> load(Map.of(), file, Map.of()),
            "the configuration cannot be read: ", "test.conf", "${WANTED}");
    }

    @Test
    void shouldReadTheSectionOfAnApplication()
    {
        final TransloadConfig loaded = TransloadConfig.loadWithin(Map.of("TRANSLOAD_MAX_TOPK", "3"),
            ConfigFactory.parseString("mine.width = 512, transload { max-hidden = ${mine.width}, max-topk = 9 }"),
            Map.of());
        assertEquals(512, loaded.engine().maxHidden());
        assertEquals(3, loaded.engine().maxTopk());
        assertEquals(List.of("transload"), List.copyOf(loaded.config().root().keySet()));
    }

    @Test
    void shouldSurviveRendering()
    {
        final TransloadConfig loaded = load(Map.of("TRANSLOAD_STEPPING_LABEL", "x"), null, Map.of(CHANNELS, "5"))
            .withDefaults(Map.of("transload.nodes", "3"));
        assertEquals(loaded.engine(), TransloadConfig.parse(loaded.render()).engine());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "transload.chanels | transload.chanels is not a key: known here are | ; did you mean transload.channels?",
        "transload.scale-out.chnk | is not a key: known here are chunk | ; did you mean transload.scale-out.chunk?",
        "transload.scale-upp.chunk | transload.scale-upp is not a key | ; did you mean transload.scale-up?",
        "transload.steping.label | and the transports found: stepping | ; did you mean transload.stepping?",
        "transload.stepping.lable | is not a key of this transport | ; did you mean transload.stepping.label?",
        "transload.threads.layout | transload.threads.layout is gone | set transload.threads.roles",
        "max-hiden | all keys begin with transload. | ; did you mean transload.max-hidden?",
        "transload.scale-out | transload.scale-out = 3 is not allowed | a section",
        "transload..channels | 'transload..channels' is not a key | path",
    })
    void shouldRefuseKeysThatDoNotExist(final String key, final String refusal, final String advice)
    {
        assertRefused(key, "3", refusal, advice);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "TRANSLOAD_CHANELS | TRANSLOAD_CHANELS stands for no key | ; did you mean TRANSLOAD_CHANNELS?",
        "TRANSLOAD_STEPPING_LABLE | stands for no key | ; did you mean TRANSLOAD_STEPPING_LABEL?",
        "TRANSLOAD_RENDEZVOU | stands for no key | ; did you mean TRANSLOAD_RENDEZVOUS?",
        "TRANSLOAD_TELEPATHY | stands for no key | as TRANSLOAD_SCALE_OUT_CHUNK is transload.scale-out.chunk",
        "TRANSLOAD_DISPATCH_PACKING | transload.dispatch.packing is gone | leave it out",
    })
    void shouldRefuseVariablesThatStandForNoKey(final String variable, final String refusal, final String advice)
    {
        Messages.assertRefused(
            ConfigurationException.class, () -> load(Map.of(variable, "3"), null, Map.of()), refusal, advice);
    }

    @ParameterizedTest
    @ValueSource(strings = {"TRANSLOAD_RANK", "TRANSLOAD_JARS", "TRANSLOAD_LIBRARY", "TRANSLOAD_CUDA_EMULATOR_DEVICES"})
    void shouldLeaveVariablesToThoseWhoReadThem(final String variable)
    {
        assertEquals(load(Map.of(), null, Map.of()).engine(), load(Map.of(variable, "3"), null, Map.of()).engine());
    }

    @Test
    void shouldRefuseFilesByName() throws IOException
    {
        final Path none = folder.resolve("none.conf");
        Messages.assertRefused(ConfigurationException.class, () -> load(Map.of(), none, Map.of()),
            "configuration " + none + ": there is no such file");
        final Path other = file("tranload { channels = 3 }");
        Messages.assertRefused(ConfigurationException.class, () -> load(Map.of(), other, Map.of()),
            "test.conf: tranload is not a key: all keys stand under transload");
        final Path broken = file("transload { channels = ");
        Messages.assertRefused(ConfigurationException.class, () -> load(Map.of(), broken, Map.of()), "test.conf");
        final Path flat = file("transload = 3");
        Messages.assertRefused(ConfigurationException.class, () -> load(Map.of(), flat, Map.of()), "test.conf");
    }

    @Test
    void shouldRefuseNestingThatNoStackHolds() throws IOException
    {
        final Path braces = file("transload " + "{ a ".repeat(20_000) + "= 1" + " }".repeat(20_000));
        Messages.assertRefused(ConfigurationException.class, () -> load(Map.of(), braces, Map.of()),
            "nested too deeply", "test.conf");
        assertRefused("transload" + ".a".repeat(20_000), "1", "nested too deeply", "overrides");
    }
}
