/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.settings;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigRenderOptions;
import dev.transload.cli.outcome.CommandException;
import dev.transload.engine.EngineConfig;
import dev.transload.engine.TransloadConfig;
import dev.transload.spi.ConfigurationException;
import dev.transload.spi.TransportRegistry;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;

/** The configuration of a command: what {@link TransloadConfig} collects, and what commands find fitting. Immutable. */
public final class Settings
{
    /** Under which all keys stand. */
    public static final String ROOT = "transload";

    /** Names the rank in lists of processes; no setting. */
    public static final String RANK_PROPERTY = "transload.rank";

    /** By which the launcher script says that results go to descriptor 0; no setting. */
    public static final String SWAPPED_PROPERTY = "dev.transload.stdout-is-descriptor-0";

    /** Carries a stage that nobody named a transport for, since every machine can run it. */
    private static final String DEFAULT_TRANSPORT = "aeron";

    private static final Path DEFAULT_FILE = Path.of("transload.conf");

    private final TransloadConfig collected;

    private Settings(final TransloadConfig collected)
    {
        this.collected = collected;
    }

    /**
     * Collect all layers.
     *
     * @param file        of --config, or null for {@code transload.conf} of the working directory where there is one.
     * @param options     full keys that the command's own options stand for.
     * @param definitions full keys given by -D.
     * @param environment variables.
     * @return settings.
     * @throws CommandException       with exit code 2 if there is no such file.
     * @throws ConfigurationException naming what else is wrong.
     */
    public static Settings load(
        final Path file,
        final Map<String, String> options,
        final Map<String, String> definitions,
        final Map<String, String> environment)
    {
        if (null != file && !Files.isRegularFile(file))
        {
            throw CommandException.badInput("--config " + file + ": there is no such file");
        }

        final Map<String, String> overrides = new TreeMap<>(definitions);
        overrides.putAll(options);
        final Path found = null == file && Files.isRegularFile(DEFAULT_FILE) ? DEFAULT_FILE : file;
        return new Settings(TransloadConfig.load(environment, found, overrides).withDefaults(transports()));
    }

    /** Settings that another process rendered. */
    public static Settings parse(final String rendered)
    {
        return new Settings(TransloadConfig.parse(rendered));
    }

    /** Values for keys that nobody chose, above the modules' references. */
    public Settings withDefaults(final Map<String, String> values)
    {
        return new Settings(collected.withDefaults(values));
    }

    /** Values above all that was chosen. */
    public Settings with(final Map<String, String> values)
    {
        return new Settings(collected.with(values));
    }

    /** What was chosen, the rendezvous aside, which belongs to one run and may hold a secret. */
    public String renderChosen()
    {
        return collected.chosen().withoutPath(ROOT + ".rendezvous").root().render(
            ConfigRenderOptions.defaults().setComments(false).setOriginComments(false).setJson(false));
    }

    /**
     * Whether a key was chosen by a user.
     *
     * @param key full key.
     * @return true when some layer above the defaults has it.
     */
    public boolean isChosen(final String key)
    {
        return collected.chosen().hasPath(key);
    }

    public Config config()
    {
        return collected.config();
    }

    /**
     * A whole number of at least one.
     *
     * @param key full key.
     * @return value.
     * @throws ConfigurationException naming key, value and what is allowed.
     */
    public int positive(final String key)
    {
        final String text = config().getValue(key).unwrapped().toString();
        if (!text.matches("0*[1-9]\\d{0,6}"))
        {
            throw new ConfigurationException(
                key + " = " + text + " is not allowed: must be a whole number in [1, 9999999]");
        }

        return Integer.parseInt(text);
    }

    /** Settings of the engine. */
    public EngineConfig engine()
    {
        return collected.engine();
    }

    /** All layers as one text for {@link #parse}. */
    public String render()
    {
        return collected.render();
    }

    /** Where it is not on the class path, the engine takes the only one that is, or says which there are. */
    private static Map<String, String> transports()
    {
        final boolean isFound = TransportRegistry.discover().providers().stream()
            .anyMatch((registered) -> DEFAULT_TRANSPORT.equals(registered.provider().name()));
        return isFound ? Map.of("transload.scale-out.transport", DEFAULT_TRANSPORT,
            "transload.scale-up.transport", DEFAULT_TRANSPORT) : Map.of();
    }
}
