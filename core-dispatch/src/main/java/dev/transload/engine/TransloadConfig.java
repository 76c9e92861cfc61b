/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.transload.spi.TransportRegistry;
import java.nio.file.Path;
import java.util.Map;

/**
 * All settings of a program. Keys, variables and precedence are the same as for the command {@code transload}. The
 * value of a key comes from the first of these sources that sets the key: <ol> <li>overrides that the caller
 * passes;</li> <li>system properties of the JVM that begin with {@code transload.};</li> <li>environment variables,
 * e.g. {@code TRANSLOAD_SCALE_OUT_CHUNK} for {@code transload.scale-out.chunk};</li> <li>the configuration file;</li>
 * <li>values that {@link #withDefaults} adds;</li> <li>{@code reference.conf} of the modules on the class path.</li>
 * </ol> Each module reads its own keys: {@link #engine()} reads the keys of the engine. The low-latency mode, the
 * rendezvous and the metrics read their keys from {@link #config()}. Immutable.
 */
public interface TransloadConfig
{
    /**
     * Collects the settings of a program. The options of the transports found on the class path are also valid
     * keys.
     *
     * @param environment environment variables, e.g. {@code System.getenv()}. In the file, {@code ${NAME}} stands for
     *                    the value of the variable {@code NAME}.
     * @param file        HOCON, JSON or properties file, whose keys are all below {@code transload}; null for none.
     * @param overrides   values by full key, e.g. {@code transload.channels}. Elements of lists are separated by
     *                    commas, e.g. {@code 8,8,4}.
     * @return settings.
     * @throws dev.transload.spi.ConfigurationException if a file cannot be read, if a source sets a key that does not
     *                                                  exist, or if a variable that begins with {@code TRANSLOAD_}
     *                                                  stands for no key. The message names the most similar key. For
     *                                                  a key of an older version, it names the replacement. Values are
     *                                                  checked only when they are read.
     */
    static TransloadConfig load(
        final Map<String, String> environment, final Path file, final Map<String, String> overrides)
    {
        return load(environment, file, overrides, TransportRegistry.discover());
    }

    /**
     * Collects the settings of a program. The options of given transports are also valid keys.
     *
     * @param environment environment variables, e.g. {@code System.getenv()}.
     * @param file        HOCON, JSON or properties file, whose keys are all below {@code transload}; null for none.
     * @param overrides   values by full key, e.g. {@code transload.channels}.
     * @param transports  registry of the transports whose options are also valid keys.
     * @return settings.
     */
    static TransloadConfig load(
        final Map<String, String> environment, final Path file, final Map<String, String> overrides,
        final TransportRegistry transports)
    {
        return EngineProvider.find().load(environment, file, overrides, transports);
    }

    /**
     * Collects the settings of a program that has its own configuration instead of a file.
     *
     * @param environment environment variables, e.g. {@code System.getenv()}.
     * @param application configuration of the program, not resolved, e.g. {@link ConfigFactory#defaultApplication()};
     *                    only its section {@code transload} is read.
     * @param overrides   values by full key, e.g. {@code transload.channels}.
     * @return settings.
     */
    static TransloadConfig loadWithin(
        final Map<String, String> environment, final Config application, final Map<String, String> overrides)
    {
        return loadWithin(environment, application, overrides, TransportRegistry.discover());
    }

    /**
     * Collects the settings of a program that has its own configuration. The options of given transports are also valid
     * keys.
     *
     * @param environment environment variables, e.g. {@code System.getenv()}.
     * @param application configuration of the program, not resolved; only its section {@code transload} is read.
     * @param overrides   values by full key, e.g. {@code transload.channels}.
     * @param transports  registry of the transports whose options are also valid keys.
     * @return settings.
     */
    static TransloadConfig loadWithin(
        final Map<String, String> environment, final Config application, final Map<String, String> overrides,
        final TransportRegistry transports)
    {
        return EngineProvider.find().loadWithin(environment, application, overrides, transports);
    }

    /**
     * Reads settings that another process, such as the launcher of ranks, has {@link #render rendered}.
     *
     * @param rendered text of the settings.
     * @return settings, without values from the environment of this process.
     */
    static TransloadConfig parse(final String rendered)
    {
        return EngineProvider.find().parse(rendered);
    }

    /**
     * Returns the configuration with all keys.
     *
     * @return resolved configuration that has only the section {@code transload}.
     */
    Config config();

    /**
     * Returns the values that are set explicitly.
     *
     * @return resolved configuration of all sources except {@link #withDefaults} and {@code reference.conf}.
     */
    Config chosen();

    /**
     * Reads the settings of the engine.
     *
     * @return validated settings.
     * @throws dev.transload.spi.ConfigurationException if a value is not allowed; the message names the key, the value
     *                                                  and the allowed values.
     */
    default EngineConfig engine()
    {
        return EngineConfig.from(config());
    }

    /**
     * Returns a copy with other default values for keys that are not set.
     *
     * @param values values by full key; they take precedence over the values of earlier calls of this method.
     * @return copy.
     */
    TransloadConfig withDefaults(Map<String, String> values);

    /**
     * Returns a copy with values that take precedence over all other sources.
     *
     * @param values values by full key; they take precedence over the values of earlier calls of this method.
     * @return copy.
     */
    TransloadConfig with(Map<String, String> values);

    /**
     * Returns all settings as text, which another process can {@link #parse}. The text includes the secret of the
     * rendezvous, if there is one.
     *
     * @return JSON.
     */
    String render();
}
