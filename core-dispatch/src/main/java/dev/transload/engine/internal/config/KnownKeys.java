/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.config;

import com.typesafe.config.ConfigObject;
import com.typesafe.config.ConfigValue;
import com.typesafe.config.ConfigValueType;
import dev.transload.spi.ConfigOption;
import dev.transload.spi.ConfigurationException;
import dev.transload.spi.NearestName;
import dev.transload.spi.RegisteredProvider;
import dev.transload.spi.TransportConfig;
import dev.transload.spi.TransportRegistry;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** The keys that there are, by the references that document them; what is no key is refused by its name. */
final class KnownKeys
{
    /** Under which all keys stand. */
    static final String ROOT = "transload";

    /** Keys of other modules, which may not be on this class path: no transport's sections. */
    private static final Set<String> FOREIGN = Set.of("rendezvous", "metrics", "rank", "run", "bench");

    /** Keys of older versions, and what took over. */
    private static final Map<String, String> GONE = Map.of(
        "dispatch.packing", "rows are sent from the caller's tensor where the transport can; leave it out",
        "dispatch.senders-per-channel", "a channel has one sender; set " + ROOT + ".channels instead",
        "threads.layout",
        "threads take channels in turn, or kinds of roles where there are more threads than channels; " +
        "set " + ROOT + ".threads.roles to deal them otherwise");

    private final ConfigObject known;

    /**
     * Over references.
     *
     * @param known section {@code transload} with a value for each key.
     */
    KnownKeys(final ConfigObject known)
    {
        this.known = known;
    }

    /** Whether a section of this name is a transport's, by exclusion. */
    boolean isOfTransport(final String section)
    {
        return !known.containsKey(section) && !FOREIGN.contains(section);
    }

    /** All full keys by their names in an order, those of older versions and of transports' options too. */
    Set<String> names(final TransportRegistry transports)
    {
        final Set<String> names = new TreeSet<>();
        known.toConfig().entrySet().forEach((entry) -> names.add(ROOT + "." + entry.getKey()));
        GONE.keySet().forEach((key) -> names.add(ROOT + "." + key));
        for (final RegisteredProvider registered : transports.providers())
        {
            for (final ConfigOption option : registered.provider().options())
            {
                names.add(ROOT + "." + registered.provider().name() + "." + option.key());
            }
        }

        return names;
    }

    /**
     * Refuse what is no key, but for sections that may be a transport's.
     *
     * @throws ConfigurationException naming the key, those known beside it, and the nearest.
     */
    void check(final ConfigObject given)
    {
        check("", known, given);
    }

    /**
     * Refuse also sections that are no transport's, and keys that their transport does not know.
     *
     * @throws ConfigurationException naming the key, those known beside it, and the nearest.
     */
    void check(final ConfigObject given, final TransportRegistry transports)
    {
        check(given);
        final Map<String, RegisteredProvider> found = new TreeMap<>();
        transports.providers().forEach((registered) -> found.put(registered.provider().name(), registered));
        final Set<String> names = new TreeSet<>(found.keySet());
        transports.refused().forEach((refused) -> names.add(refused.name()));
        for (final String section : new TreeSet<>(given.keySet()))
        {
            if (found.containsKey(section) && isOfTransport(section))
            {
                TransportConfig.builder().options(ConfigReader.flatten((ConfigObject)given.get(section))).build()
                    .refuseUnknownOptions(section, found.get(section).provider().options());
            }
            else if (isOfTransport(section) && !names.contains(section))
            {
                final Set<String> nearby = new TreeSet<>(known.keySet());
                nearby.addAll(names);
                throw new ConfigurationException(ROOT + "." + section + " is not a key: known here are " +
                    String.join(", ", new TreeSet<>(known.keySet())) +
                    (names.isEmpty() ? "; no transport is found" :
                    ", and the transports found: " + String.join(", ", names)) +
                    NearestName.question(section, nearby, ROOT + "."));
            }
        }
    }

    private static void check(final String path, final ConfigObject known, final ConfigObject given)
    {
        given.forEach((key, value) ->
        {
            final ConfigValue reference = known.get(key);
            if (GONE.containsKey(path + key))
            {
                throw new ConfigurationException(ROOT + "." + path + key + " is gone: " + GONE.get(path + key));
            }

            if (null == reference)
            {
                if (!path.isEmpty() || !isForeignSection(key, value))
                {
                    throw new ConfigurationException(ROOT + "." + path + key + " is not a key: known here are " +
                        String.join(", ", new TreeSet<>(known.keySet())) +
                        NearestName.question(key, known.keySet(), ROOT + "." + path));
                }
            }
            else if (ConfigValueType.OBJECT == reference.valueType() && ConfigValueType.OBJECT != value.valueType())
            {
                throw ConfigReader.refuse(path + key, value.unwrapped(), "a section");
            }
            else if (ConfigValueType.OBJECT == reference.valueType())
            {
                check(path + key + ".", (ConfigObject)reference, (ConfigObject)value);
            }
        });
    }

    private static boolean isForeignSection(final String key, final ConfigValue value)
    {
        return FOREIGN.contains(key) || ConfigValueType.OBJECT == value.valueType();
    }
}
