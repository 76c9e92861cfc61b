/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.metrics;

import com.typesafe.config.Config;
import dev.transload.spi.ConfigurationException;

/** Settings under {@code transload.metrics}; the module's {@code reference.conf} documents each. */
public final class MetricsConfig
{
    /** Where the settings stand. */
    public static final String PATH = "transload.metrics";

    private static final String PORT = "port";
    private static final String OFF = "off";
    private static final int NO_PORT = -1;
    private static final int MAX_PORT = 65535;

    private final int port;

    private MetricsConfig(final int port)
    {
        this.port = port;
    }

    /**
     * Read.
     *
     * @param config resolved, with the reference configuration as its fallback.
     * @return settings.
     * @throws ConfigurationException naming key, value and what is allowed.
     */
    public static MetricsConfig from(final Config config)
    {
        final Config settings = config.getConfig(PATH);
        for (final String key : settings.root().keySet())
        {
            if (!PORT.equals(key))
            {
                throw new ConfigurationException(PATH + "." + key + " is not a key: known here is " + PORT);
            }
        }

        return new MetricsConfig(parse(settings.getValue(PORT).unwrapped().toString()));
    }

    private static int parse(final String text)
    {
        if (OFF.equals(text))
        {
            return NO_PORT;
        }

        if (!text.matches("\\d{1,5}") || Integer.parseInt(text) > MAX_PORT)
        {
            throw new ConfigurationException(PATH + "." + PORT + " = " + text +
                " is not allowed: must be off, or a whole number in [0, " + MAX_PORT + "]");
        }

        return Integer.parseInt(text);
    }

    /**
     * Whether counters are to be served.
     *
     * @return false for {@code off}.
     */
    public boolean isOn()
    {
        return NO_PORT != port;
    }

    /**
     * Port of a rank.
     *
     * @param rank in the world; the highest one is the first to have none.
     * @return port, 0 for any free one.
     * @throws ConfigurationException if there is no such port.
     */
    public int portOf(final int rank)
    {
        if (port > 0 && port + rank > MAX_PORT)
        {
            throw new ConfigurationException(PATH + "." + PORT + " = " + port + " is not allowed: rank " + rank +
                " takes that number more, and there is no port above " + MAX_PORT);
        }

        return 0 == port ? 0 : port + rank;
    }
}
