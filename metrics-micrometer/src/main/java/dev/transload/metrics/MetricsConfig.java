/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.metrics;

import com.typesafe.config.Config;
import dev.transload.spi.ConfigurationException;
import java.net.InetAddress;
import java.net.UnknownHostException;

/** Settings under {@code transload.metrics}; the module's {@code reference.conf} documents each of them. */
public final class MetricsConfig
{
    /** Path of the settings in the configuration. */
    public static final String PATH = "transload.metrics";

    private static final String PORT = "port";
    private static final String ADDRESS = "address";
    private static final String OFF = "off";
    private static final int NO_PORT = -1;
    private static final int MAX_PORT = 65535;

    private final int port;
    private final InetAddress address;

    private MetricsConfig(final int port, final InetAddress address)
    {
        this.port = port;
        this.address = address;
    }

    /**
     * Reads the settings.
     *
     * @param config resolved configuration that includes the reference configuration.
     * @return settings of the metrics.
     * @throws ConfigurationException if a value is not allowed; the message names the key, the value and the allowed
     *                                values.
     */
    public static MetricsConfig from(final Config config)
    {
        final Config settings = config.getConfig(PATH);
        for (final String key : settings.root().keySet())
        {
            if (!PORT.equals(key) && !ADDRESS.equals(key))
            {
                throw new ConfigurationException(
                    PATH + "." + key + " is not a key: known here are " + ADDRESS + " and " + PORT);
            }
        }

        final int port = parse(settings.getValue(PORT).unwrapped().toString());
        // What is off needs no address, which a name server may have to be asked for.
        return new MetricsConfig(port, NO_PORT == port ? null : parseAddress(settings.getString(ADDRESS)));
    }

    private static InetAddress parseAddress(final String text)
    {
        try
        {
            return "loopback".equals(text) ? InetAddress.getLoopbackAddress() : InetAddress.getByName(text);
        }
        catch (final UnknownHostException ex)
        {
            throw new ConfigurationException(PATH + "." + ADDRESS + " = " + text +
                " is not allowed: must be loopback, or a name or address of this host");
        }
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
     * Returns whether counters are served over HTTP.
     *
     * @return false if {@code transload.metrics.port} is {@code off}.
     */
    public boolean isOn()
    {
        return NO_PORT != port;
    }

    /**
     * Returns the address on which counters are served.
     *
     * @return address of this host, or null if counters are not served.
     */
    public InetAddress address()
    {
        return address;
    }

    /**
     * Returns the port of a rank. If the configured port is not 0, the port of a rank is the configured port plus the
     * number of the rank.
     *
     * @param rank rank in the world.
     * @return port, or 0 for any free port.
     * @throws ConfigurationException if the port would be above 65535.
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
