/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine;

import dev.transload.spi.ConfigurationException;

/**
 * Settings of one stage.
 *
 * @param transport   name of its transport.
 * @param chunk       most rows of one operation group, positive.
 * @param ring        slots of each ring, at least {@code chunk + creditBatch − 1}.
 * @param creditBatch rows after which a consumer reports its head, positive.
 * @param credit      how it reports.
 */
public record StageConfig(String transport, int chunk, int ring, int creditBatch, CreditMode credit)
{
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
