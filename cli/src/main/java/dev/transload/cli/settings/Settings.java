/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.settings;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigException;
import com.typesafe.config.ConfigFactory;
import com.typesafe.config.ConfigParseOptions;
import com.typesafe.config.ConfigRenderOptions;
import com.typesafe.config.ConfigValueFactory;
import dev.transload.cli.outcome.CommandException;
import dev.transload.engine.EngineConfig;
import dev.transload.spi.ConfigurationException;
import dev.transload.spi.RegisteredProvider;
import dev.transload.spi.TransportConfig;
import dev.transload.spi.TransportRegistry;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeSet;

/** The configuration of a command. Immutable. */
public final class Settings
{
    /** Under which all keys stand. */
    public static final String ROOT = "transload";

    /** Names the rank to whoever looks at processes; no setting. */
    public static final String RANK_PROPERTY = "transload.rank";

    /** By which the launcher script says that results go to descriptor 0; no setting. */
    public static final String SWAPPED_PROPERTY = "dev.transload.stdout-is-descriptor-0";

    /** Carries a stage that nobody named a transport for, since every machine can run it. */
    private static final String DEFAULT_TRANSPORT = "aeron";

    private static final String DEFAULT_FILE = "transload.conf";
    private static final String PREFIX = ROOT + ".";

    private final Config chosen;
    private final Config defaults;
    private final Config reference;

    private Settings(final Config chosen, final Config defaults, final Config reference)
    {
        this.chosen = chosen;
        this.defaults = defaults;
        this.reference = reference;
    }

    /**
     * Collect all layers.
     *
     * @param file        of --config, or null for {@code transload.conf} of the working directory where there is one.
     * @param options     full keys that the command's own options stand for.
     * @param definitions full keys given by -D.
     * @param environment variables.
     * @return settings.
     * @throws CommandException with exit code 2 naming what is wrong.
     */
    public static Settings load(
        final Path file,
        final Map<String, String> options,
        final Map<String, String> definitions,
        final Map<String, String> environment)
    {
        for (final String key : definitions.keySet())
        {
            if (!key.startsWith(PREFIX))
            {
                throw CommandException.badInput("-D" + key + " is not a key: all keys begin with " + PREFIX);
            }
        }

        try
        {
            final Settings settings = collect(file, options, definitions, environment);
            settings.config();
            return settings;
        }
        catch (final StackOverflowError ex)
        {
            throw CommandException.badInput("the configuration is nested too deeply: " +
                (null == file ? DEFAULT_FILE : file) + ", -D and TRANSLOAD_ variables may only have known keys", ex);
        }
    }

    private static Settings collect(
        final Path file,
        final Map<String, String> options,
        final Map<String, String> definitions,
        final Map<String, String> environment)
    {
        final Config reference = ConfigFactory.parseResources(Settings.class.getClassLoader(), "reference.conf");
        final Config chosen = layer("option", options)
            .withFallback(layer("-D", definitions))
            .withFallback(systemProperties())
            .withFallback(layer("environment", new EnvironmentLayer(reference).keys(environment)))
            .withFallback(file(file));
        return new Settings(chosen, layer("default of the command line", transports()), reference);
    }

    /** Settings that another process rendered. */
    public static Settings parse(final String rendered)
    {
        return new Settings(ConfigFactory.parseString(rendered), ConfigFactory.empty(), ConfigFactory.empty());
    }

    /** Values for keys that nobody chose, above the modules' references. */
    public Settings withDefaults(final Map<String, String> values)
    {
        return new Settings(chosen, layer("default of this command", values).withFallback(defaults), reference);
    }

    /** Values above all that was chosen. */
    public Settings with(final Map<String, String> values)
    {
        return new Settings(layer("found by this command", values).withFallback(chosen), defaults, reference);
    }

    /** What was chosen, the rendezvous aside, which belongs to one run and may hold a secret. */
    public String renderChosen()
    {
        return chosen.withoutPath(PREFIX + "rendezvous").resolve().root().render(
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
        return chosen.hasPath(key);
    }

    public Config config()
    {
        return chosen.withFallback(defaults).withFallback(reference).resolve();
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
        return EngineConfig.from(config());
    }

    /**
     * Refuse sections that belong to nothing, and keys that their transport doesn't know.
     *
     * @param registry of transports.
     * @throws ConfigurationException naming the key and those known.
     */
    public void checkTransports(final TransportRegistry registry)
    {
        final Map<String, Map<String, String>> sections = engine().transportOptions();
        final TreeSet<String> names = new TreeSet<>();
        registry.refused().forEach((refused) -> names.add(refused.name()));
        for (final RegisteredProvider registered : registry.providers())
        {
            final String name = registered.provider().name();
            names.add(name);
            TransportConfig.builder().options(sections.getOrDefault(name, Map.of())).build()
                .refuseUnknownOptions(name, registered.provider().options());
        }

        for (final String section : new TreeSet<>(sections.keySet()))
        {
            if (!names.contains(section))
            {
                throw new ConfigurationException(PREFIX + section + " is not a key: known here are " +
                    String.join(", ", new TreeSet<>(reference.getObject(ROOT).keySet())) +
                    ", and the transports found: " + String.join(", ", names));
            }
        }
    }

    /** All layers as one text for {@link #parse}. */
    public String render()
    {
        return config().root().render(ConfigRenderOptions.concise());
    }

    /** Where it is not on the class path, the engine takes the only one that is, or says which there are. */
    private static Map<String, String> transports()
    {
        final boolean isFound = TransportRegistry.discover().providers().stream()
            .anyMatch((registered) -> DEFAULT_TRANSPORT.equals(registered.provider().name()));
        return isFound ? Map.of("transload.scale-out.transport", DEFAULT_TRANSPORT,
            "transload.scale-up.transport", DEFAULT_TRANSPORT) : Map.of();
    }

    private static Config layer(final String origin, final Map<String, String> values)
    {
        Config layer = ConfigFactory.empty(origin);
        for (final Map.Entry<String, String> entry : values.entrySet())
        {
            layer = with(layer, origin, entry.getKey(), entry.getValue());
        }

        return layer;
    }

    private static Config with(final Config layer, final String origin, final String key, final String value)
    {
        try
        {
            return layer.withValue(key, ConfigValueFactory.fromAnyRef(value, origin + " " + key));
        }
        catch (final ConfigException ex)
        {
            throw CommandException.badInput("'" + key + "' is not a key: " + ex.getMessage(), ex);
        }
    }

    private static Config systemProperties()
    {
        Config layer = ConfigFactory.empty("properties of the JVM");
        for (final String key : new TreeSet<>(System.getProperties().stringPropertyNames()))
        {
            if (key.startsWith(PREFIX) && !RANK_PROPERTY.equals(key))
            {
                layer = with(layer, "property", key, System.getProperty(key));
            }
        }

        return layer;
    }

    private static Config file(final Path chosen)
    {
        final Path path = null == chosen ? Path.of(DEFAULT_FILE) : chosen;
        if (!Files.isRegularFile(path))
        {
            if (null == chosen)
            {
                return ConfigFactory.empty();
            }

            throw CommandException.badInput("--config " + path + ": there is no such file");
        }

        final Config config = ConfigFactory.parseFile(
            path.toFile(), ConfigParseOptions.defaults().setAllowMissing(false));
        for (final String key : config.root().keySet())
        {
            if (!ROOT.equals(key))
            {
                throw CommandException.badInput(
                    path + ": " + key + " is not a key: all keys stand under " + ROOT);
            }
        }

        return config;
    }
}
