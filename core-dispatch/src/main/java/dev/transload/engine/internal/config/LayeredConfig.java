/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.config;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigException;
import com.typesafe.config.ConfigFactory;
import com.typesafe.config.ConfigObject;
import com.typesafe.config.ConfigParseOptions;
import com.typesafe.config.ConfigRenderOptions;
import com.typesafe.config.ConfigResolveOptions;
import com.typesafe.config.ConfigValue;
import com.typesafe.config.ConfigValueFactory;
import dev.transload.engine.TransloadConfig;
import dev.transload.spi.ConfigurationException;
import dev.transload.spi.NearestName;
import dev.transload.spi.TransportRegistry;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Supplier;

/** Layers of keys, the upper ones first. */
public final class LayeredConfig implements TransloadConfig
{
    private static final String PREFIX = KnownKeys.ROOT + ".";

    /** Names a rank in lists of processes; no setting. */
    private static final String RANK_PROPERTY = PREFIX + "rank";

    private final Config upper;
    private final Config defaults;
    private final Config reference;

    /** What substitutions may name beside keys. */
    private final Config variables;

    private final Config all;
    private final Config chosen;

    private LayeredConfig(final Config upper, final Config defaults, final Config reference, final Config variables)
    {
        this.upper = upper;
        this.defaults = defaults;
        this.reference = reference;
        this.variables = variables;
        final Config unresolved = upper.withFallback(defaults).withFallback(reference).withFallback(variables);
        // The variables are there already: those of this process may be others.
        final ConfigResolveOptions options = ConfigResolveOptions.defaults().setUseSystemEnvironment(false);
        this.all = unresolved.resolve(options).withOnlyPath(KnownKeys.ROOT);
        this.chosen = picked(upper.withFallback(variables).resolve(options.setAllowUnresolved(true)).root(), all.root())
            .toConfig();
    }

    private static ConfigValue picked(final ConfigValue path, final ConfigValue value)
    {
        try
        {
            return path instanceof final ConfigObject paths && value instanceof final ConfigObject values ?
                picked(paths, values) : value;
        }
        catch (final ConfigException.NotResolved ex)
        {
            // A section that is a substitution: it stands for all of its keys.
            return value;
        }
    }

    /**
     * Values at those paths that some layer has. It cannot be resolved by itself: what it names may be in another one.
     */
    private static ConfigObject picked(final ConfigObject paths, final ConfigObject values)
    {
        ConfigObject picked = ConfigFactory.empty().root();
        for (final Map.Entry<String, ConfigValue> entry : values.entrySet())
        {
            final ConfigValue path = paths.get(entry.getKey());
            if (null != path)
            {
                picked = picked.withValue(entry.getKey(), picked(path, entry.getValue()));
            }
        }

        return picked;
    }

    /**
     * With the keys of a file.
     *
     * @param file      null for none.
     * @param overrides by full key.
     * @see TransloadConfig#load
     */
    public static TransloadConfig load(
        final Map<String, String> environment, final Path file, final Map<String, String> overrides,
        final TransportRegistry transports)
    {
        final String origin = null == file ? "the configuration" : file.toString();
        return refusing(origin, () ->
            load(environment, null == file ? ConfigFactory.empty() : parse(file), overrides, transports));
    }

    /**
     * With the keys of an application's configuration.
     *
     * @param overrides by full key.
     * @see TransloadConfig#loadWithin
     */
    public static TransloadConfig loadWithin(
        final Map<String, String> environment, final Config application, final Map<String, String> overrides,
        final TransportRegistry transports)
    {
        return refusing("the configuration", () -> load(environment, application, overrides, transports));
    }

    /** What another process rendered. */
    public static TransloadConfig parse(final String rendered)
    {
        final Config empty = ConfigFactory.empty();
        return new LayeredConfig(ConfigFactory.parseString(rendered), empty, empty, empty);
    }

    private static LayeredConfig load(
        final Map<String, String> environment, final Config file, final Map<String, String> overrides,
        final TransportRegistry transports)
    {
        final Config variables = ConfigValueFactory.fromMap(environment, "environment").toConfig();
        final Config reference = reference();
        final KnownKeys known = new KnownKeys(reference.withFallback(variables)
            .resolve(ConfigResolveOptions.defaults().setUseSystemEnvironment(false)).getObject(KnownKeys.ROOT));
        final Set<String> names = known.names(transports);
        final Config upper = layer("override", names, overrides)
            .withFallback(layer("system property", names, properties(System.getProperties())))
            .withFallback(layer("environment", names, new VariableNames(names).keys(environment)))
            .withFallback(file);
        final LayeredConfig loaded = new LayeredConfig(upper, ConfigFactory.empty(), reference, variables);
        known.check(loaded.all.getObject(KnownKeys.ROOT), transports);
        return loaded;
    }

    /** Of the modules that the application's class loader finds; the engine's own, whatever that is. */
    private static Config reference()
    {
        final ClassLoader context = Thread.currentThread().getContextClassLoader();
        return ConfigFactory.parseResources(
            null == context ? LayeredConfig.class.getClassLoader() : context, "reference.conf")
            .withFallback(ConfigReader.reference());
    }

    private static Config parse(final Path file)
    {
        if (!Files.isRegularFile(file))
        {
            throw new ConfigurationException("configuration " + file + ": there is no such file");
        }

        final Config config = ConfigFactory.parseFile(
            file.toFile(), ConfigParseOptions.defaults().setAllowMissing(false));
        for (final String key : config.root().keySet())
        {
            if (!KnownKeys.ROOT.equals(key))
            {
                throw new ConfigurationException(
                    file + ": " + key + " is not a key: all keys stand under " + KnownKeys.ROOT);
            }
        }

        return config;
    }

    private static Map<String, String> properties(final Properties properties)
    {
        final Map<String, String> keys = new TreeMap<>();
        for (final String name : properties.stringPropertyNames())
        {
            if (name.startsWith(PREFIX) && !RANK_PROPERTY.equals(name))
            {
                keys.put(name, properties.getProperty(name));
            }
        }

        return keys;
    }

    private static Config layer(final String origin, final Set<String> names, final Map<String, String> values)
    {
        Config layer = ConfigFactory.empty(origin);
        for (final Map.Entry<String, String> entry : new TreeMap<>(values).entrySet())
        {
            final String key = entry.getKey();
            if (!key.startsWith(PREFIX))
            {
                throw new ConfigurationException(key + " is not a key: all keys begin with " + PREFIX +
                    NearestName.question(PREFIX + key, names, ""));
            }

            layer = with(layer, origin, key, entry.getValue());
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
            throw new ConfigurationException("'" + key + "' is not a key: " + ex.getMessage(), ex);
        }
    }

    /** What the parser says has the file and the line. */
    private static TransloadConfig refusing(final String origin, final Supplier<TransloadConfig> collected)
    {
        try
        {
            return collected.get();
        }
        catch (final ConfigException ex)
        {
            throw new ConfigurationException(
                "the configuration cannot be read: " + String.valueOf(ex.getMessage()).strip(), ex);
        }
        catch (final StackOverflowError ex)
        {
            throw new ConfigurationException("keys are nested too deeply in " + origin +
                ", overrides or properties: docs/reference/configuration.md has all keys", ex);
        }
    }

    @Override
    public Config config()
    {
        return all;
    }

    @Override
    public Config chosen()
    {
        return chosen;
    }

    @Override
    public TransloadConfig withDefaults(final Map<String, String> values)
    {
        return new LayeredConfig(
            upper, layer("default", Set.of(), values).withFallback(defaults), reference, variables);
    }

    @Override
    public TransloadConfig with(final Map<String, String> values)
    {
        return new LayeredConfig(
            layer("override", Set.of(), values).withFallback(upper), defaults, reference, variables);
    }

    @Override
    public String render()
    {
        return all.root().render(ConfigRenderOptions.concise());
    }
}
