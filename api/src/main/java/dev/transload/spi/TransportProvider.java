/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.spi;

import java.util.List;

/**
 * Opens transports. A provider is stateless, and {@link java.util.ServiceLoader} finds it. The constructor must not
 * load native code, use a device or start a thread (rule PRV-1).
 */
public interface TransportProvider
{
    /**
     * Returns the unique name of the transport, e.g. {@code ucx}. The provider's section in the configuration has the
     * same name.
     *
     * @return name: lower-case letters, digits and {@code -}, beginning with a letter.
     */
    String name();

    /**
     * Returns the SPI version that the provider was compiled against. Every provider implements this method as
     * {@code return SpiVersion.CURRENT;}.
     *
     * @return version.
     */
    int spiVersion();

    /**
     * Returns all options that {@link #open} accepts. {@link #open} refuses other keys.
     *
     * @return options with their descriptions.
     */
    List<ConfigOption> options();

    /**
     * Tests whether this host can run the transport. This method may load native libraries, but it never throws an
     * exception (rule PRV-5).
     *
     * @param config configuration to test.
     * @return availability with capabilities, or with the reason why the transport is not available.
     */
    Availability probe(TransportConfig config);

    /**
     * Opens a transport, whose {@link Transport#capabilities()} equal the capabilities that {@link #probe} returned
     * (rule PRV-6).
     *
     * @param config configuration of the transport.
     * @return open transport, which the caller owns.
     * @throws ConfigurationException        if a key is unknown or a value is not allowed.
     * @throws TransportUnavailableException if this host cannot run the transport.
     */
    Transport open(TransportConfig config);
}
