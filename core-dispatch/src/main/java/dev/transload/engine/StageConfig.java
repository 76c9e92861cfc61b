/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine;

import dev.transload.spi.ConfigurationException;
import dev.transload.spi.TransportRegistry;
import java.util.List;

/**
 * Settings of one stage.
 *
 * @param transport   name of its transport, or {@link #AUTO} until the engine opens.
 * @param chunk       most rows of one operation group, positive.
 * @param ring        slots of each ring, at least {@code chunk + creditBatch − 1}.
 * @param creditBatch rows after which a consumer reports its head, positive.
 * @param credit      how it reports.
 */
public record StageConfig(String transport, int chunk, int ring, int creditBatch, CreditMode credit)
{
    /** Name that stands for the only transport found. */
    public static final String AUTO = "auto";

    /**
     * With the transport's name settled.
     *
     * @param section  name of the stage in the configuration, e.g. {@code scale-out}.
     * @param registry of transports found.
     * @return this, or a copy where {@link #AUTO} is replaced.
     * @throws ConfigurationException if there are none, or several to choose from.
     */
    StageConfig resolve(final String section, final TransportRegistry registry)
    {
        if (!AUTO.equals(transport))
        {
            return this;
        }

        final List<String> names =
            registry.providers().stream().map((found) -> found.provider().name()).toList();
        if (1 != names.size())
        {
            throw new ConfigurationException("transload." + section + ".transport = auto cannot choose: " +
                (names.isEmpty() ? "no transport is found, add one's jar to the class path" :
                "must name one of " + String.join(", ", names)));
        }

        return new StageConfig(names.get(0), chunk, ring, creditBatch, credit);
    }

    /**
     * Refuse sizes that could deadlock.
     *
     * @param section name of the stage in the configuration, e.g. {@code scale-out}.
     * @throws ConfigurationException naming keys, values and the rule.
     */
    public void check(final String section)
    {
        requirePositive(section, "chunk", chunk);
        requirePositive(section, "credit-batch", creditBatch);
        requirePositive(section, "ring", ring);
        if ((long)chunk + creditBatch - 1 > ring)
        {
            throw new ConfigurationException("transload." + section + ".ring = " + ring +
                " could deadlock: must be at least chunk + credit-batch - 1 = " + chunk + " + " + creditBatch +
                " - 1 = " + ((long)chunk + creditBatch - 1));
        }
    }

    private static void requirePositive(final String section, final String key, final int value)
    {
        if (value < 1)
        {
            throw new ConfigurationException(
                "transload." + section + "." + key + " = " + value + " is not allowed: must be at least 1");
        }
    }
}
