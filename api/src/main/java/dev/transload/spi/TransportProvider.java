/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.spi;

import java.util.List;

/**
 * Stateless entry point found by {@link java.util.ServiceLoader}. Its constructor loads no native code, touches no
 * device and starts no thread (rule PRV-1).
 */
public interface TransportProvider
{
    /**
     * Unique id, e.g. {@code ucx}; also the name of the provider's section in the configuration.
     *
     * @return lower-case letters, digits and {@code -}, beginning with a letter.
     */
    String name();

    /**
     * SPI the provider was compiled against: {@code return SpiVersion.CURRENT;}.
     *
     * @return version.
     */
    int spiVersion();

    /**
     * Every key that {@link #open} understands; any other is refused.
     *
     * @return options, each described.
     */
    List<ConfigOption> options();

    /**
     * Can this host run the transport? Loads natives; never throws (rule PRV-5).
     *
     * @param config to probe with.
     * @return available with capabilities, or unavailable with a reason.
     */
    Availability probe(TransportConfig config);

    /**
     * Open an instance whose {@link Transport#capabilities()} equal the probed ones (rule PRV-6).
     *
     * @param config to use.
     * @return an open transport owned by the caller.
     * @throws ConfigurationException        for an unknown key or a value that is not allowed.
     * @throws TransportUnavailableException when the host cannot run it.
     */
    Transport open(TransportConfig config);
}
