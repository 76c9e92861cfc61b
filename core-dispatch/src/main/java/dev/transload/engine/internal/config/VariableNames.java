/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.config;

import dev.transload.spi.ConfigurationException;
import dev.transload.spi.NearestName;
import java.util.Collection;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;

/**
 * Variables that set keys: {@code TRANSLOAD_SCALE_OUT_CHUNK} stands for {@code transload.scale-out.chunk}. A variable
 * that stands for no key is refused, as a wrong key is.
 */
final class VariableNames
{
    private static final String PREFIX = "TRANSLOAD_";

    /** Read elsewhere: a rank's place, and where ranks meet. */
    private static final Set<String> PLACES = Set.of("TRANSLOAD_RANK", "TRANSLOAD_WORLD_SIZE", "TRANSLOAD_LOCAL_RANK",
        "TRANSLOAD_RANKS_PER_NODE", "TRANSLOAD_RANKS_PER_POD", "TRANSLOAD_JOB_ID", "TRANSLOAD_RENDEZVOUS",
        "TRANSLOAD_RENDEZVOUS_SECRET");

    /** Of the C library and the Python package, which other programs may be started beside. */
    private static final Set<String> LIBRARY = Set.of(
        "TRANSLOAD_LIBRARY", "TRANSLOAD_LIBJVM", "TRANSLOAD_JAVA_HOME", "TRANSLOAD_JARS", "TRANSLOAD_JVM_FLAGS");

    /** Read by the emulators of devices' drivers. */
    private static final Pattern EMULATORS = Pattern.compile("TRANSLOAD_[A-Z]+_EMULATOR_[A-Z_]+");

    private final Map<String, String> keysByVariable = new HashMap<>();

    /** For full keys. */
    VariableNames(final Collection<String> keys)
    {
        keys.forEach((key) ->
            keysByVariable.put(key.toUpperCase(Locale.ROOT).replace('.', '_').replace('-', '_'), key));
    }

    /**
     * The keys that variables set.
     *
     * @param environment all variables.
     * @return values by full key.
     * @throws ConfigurationException naming a variable that stands for no key, and the nearest.
     */
    Map<String, String> keys(final Map<String, String> environment)
    {
        final Map<String, String> values = new TreeMap<>();
        environment.forEach((variable, value) ->
        {
            if (variable.startsWith(PREFIX) && !PLACES.contains(variable) && !LIBRARY.contains(variable) &&
                !EMULATORS.matcher(variable).matches())
            {
                final String key = keysByVariable.get(variable);
                if (null == key)
                {
                    final Set<String> known = new TreeSet<>(PLACES);
                    known.addAll(keysByVariable.keySet());
                    throw new ConfigurationException(variable + " stands for no key: it should be a key with " +
                        "underscores for dots and dashes, as TRANSLOAD_SCALE_OUT_CHUNK is transload.scale-out.chunk" +
                        NearestName.question(variable, known, ""));
                }

                values.put(key, value);
            }
        });

        return values;
    }
}
