/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.tune;

import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * Settings to try: what differs from the default.
 *
 * @param values by key below {@code transload}; empty for the default itself.
 */
record Candidate(Map<String, String> values)
{
    /** What runs without tuning. */
    static final Candidate DEFAULT = new Candidate(Map.of());

    private static final String ROOT = "transload.";

    Candidate
    {
        values = Collections.unmodifiableMap(new TreeMap<>(values));
    }

    Candidate with(final String key, final String value)
    {
        final Map<String, String> changed = new TreeMap<>(values);
        changed.put(key, value);
        return new Candidate(changed);
    }

    /** The key is left to its default again. */
    Candidate without(final String key)
    {
        final Map<String, String> changed = new TreeMap<>(values);
        changed.remove(key);
        return new Candidate(changed);
    }

    boolean isDefault()
    {
        return values.isEmpty();
    }

    /** By full key. */
    Map<String, String> keys()
    {
        return values.entrySet().stream()
            .collect(Collectors.toMap((entry) -> ROOT + entry.getKey(), Map.Entry::getValue));
    }

    @Override
    public String toString()
    {
        return isDefault() ? "the default" : values.entrySet().stream()
            .map((entry) -> entry.getKey() + " = " + entry.getValue()).collect(Collectors.joining(", "));
    }
}
