/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.transload.spi.TransportRegistry;
import java.nio.file.Path;
import java.util.Map;

/**
 * All settings of a program, collected as the command line does: the same keys, variables and precedence. A key's value
 * is that of the first of these which has it:
 * <ol>
 * <li>the overrides;</li>
 * <li>system properties of the JVM that begin with {@code transload.};</li>
 * <li>environment variables: {@code TRANSLOAD_SCALE_OUT_CHUNK} is {@code transload.scale-out.chunk};</li>
 * <li>the file;</li>
 * <li>what {@link #withDefaults} adds;</li>
 * <li>{@code reference.conf} of the modules on the class path.</li>
 * </ol>
 * Each module reads its own keys: {@link #engine()}, and with {@link #config()} the low-latency mode, the rendezvous
 * and the metrics. Immutable.
 */
public interface TransloadConfig
{
    /**
     * Collect settings, with the options of the transports found on the class path.
     *
     * @param environment variables, e.g. {@code System.getenv()}; {@code ${NAME}} in the file stands for them too.
     * @param file        HOCON, JSON or properties, whose keys all stand under {@code transload}; null for none.
     * @param overrides   values by full key, e.g. {@code transload.channels}; lists with commas, e.g. {@code 8,8,4}.
     * @return settings.
     * @throws dev.transload.spi.ConfigurationException for a file that cannot be read, a key or variable that does not
     *                                                  exist, with the nearest one that does, or a key of an older
     *                                                  version, with what took over. Values are checked when they
     *                                                  are read.
     */
    static TransloadConfig load(
        final Map<String, String> environment, final Path file, final Map<String, String> overrides)
    {
        return load(environment, file, overrides, TransportRegistry.discover());
    }

    /**
     * Collect settings, with the options of given transports.
     *
     * @param environment as above.
     * @param file        as above.
     * @param overrides   as above.
     * @param transports  whose options are keys too.
     * @return settings.
     */
    static TransloadConfig load(
        final Map<String, String> environment, final Path file, final Map<String, String> overrides,
        final TransportRegistry transports)
    {
        return EngineProvider.find().load(environment, file, overrides, transports);
    }

    /**
     * Collect settings of a program that has a configuration of its own in place of the file.
     *
     * @param environment as above.
     * @param application not resolved, e.g. {@link ConfigFactory#defaultApplication()}; only its section
     *                    {@code transload} is read.
     * @param overrides   as above.
     * @return settings.
     */
    static TransloadConfig loadWithin(
        final Map<String, String> environment, final Config application, final Map<String, String> overrides)
    {
        return loadWithin(environment, application, overrides, TransportRegistry.discover());
    }

    /**
     * Collect settings of such a program, with the options of given transports.
     *
     * @param environment as above.
     * @param application as above.
     * @param overrides   as above.
     * @param transports  whose options are keys too.
     * @return settings.
     */
    static TransloadConfig loadWithin(
        final Map<String, String> environment, final Config application, final Map<String, String> overrides,
        final TransportRegistry transports)
    {
        return EngineProvider.find().loadWithin(environment, application, overrides, transports);
    }

    /**
     * Settings that another process, such as the launcher of ranks, has {@link #render rendered}.
     *
     * @param rendered text.
     * @return settings, with no environment of this process.
     */
    static TransloadConfig parse(final String rendered)
    {
        return EngineProvider.find().parse(rendered);
    }

    /**
     * All keys.
     *
     * @return resolved configuration with the section {@code transload} alone.
     */
    Config config();

    /**
     * What was chosen.
     *
     * @return resolved configuration of all that stands above the defaults.
     */
    Config chosen();

    /**
     * Settings of the engine.
     *
     * @return validated settings.
     * @throws dev.transload.spi.ConfigurationException naming the key, the value and what is allowed.
     */
    default EngineConfig engine()
    {
        return EngineConfig.from(config());
    }

    /**
     * With values for keys that nobody chose.
     *
     * @param values by full key; they win over those of earlier calls.
     * @return copy.
     */
    TransloadConfig withDefaults(Map<String, String> values);

    /**
     * With values above all others.
     *
     * @param values by full key; they win over those of earlier calls.
     * @return copy.
     */
    TransloadConfig with(Map<String, String> values);

    /**
     * All settings as one text, for {@link #parse} in another process. It has the secret of the rendezvous, where there
     * is one.
     *
     * @return JSON.
     */
    String render();
}
