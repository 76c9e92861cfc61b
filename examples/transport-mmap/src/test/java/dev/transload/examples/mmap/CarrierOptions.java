/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.examples.mmap;

import dev.transload.spi.ConfigOption;
import dev.transload.spi.ConfigurationException;
import dev.transload.spi.TransportConfig;
import dev.transload.transport.base.MappedFile;
import java.util.List;

/**
 * Options of a transport. The sample needs none of its own; WRITING-A-TRANSPORT.md shows it.
 *
 * @param queueDepth operations that a channel queues.
 * @param rate       bytes a second that a channel sends.
 */
record CarrierOptions(int queueDepth, long rate)
{
    static final ConfigOption QUEUE_DEPTH = new ConfigOption("queue-depth", "256", "in [1, 65536]",
        "How many operations a channel queues before it answers BACK_PRESSURED.");

    static final ConfigOption RATE = new ConfigOption("rate", "1000000000", "in [1000, 1000000000000]",
        "How many bytes a second a channel sends.");

    static final List<ConfigOption> ALL = List.of(MappedFile.DIRECTORY, QUEUE_DEPTH, RATE);

    /**
     * Reads them.
     *
     * @throws ConfigurationException for a key that is unknown, or a value that is not allowed.
     */
    static CarrierOptions of(final TransportConfig config)
    {
        config.refuseUnknownOptions("carrier", ALL);
        return new CarrierOptions(
            (int)config.number("carrier", QUEUE_DEPTH, 1, 65_536),
            config.number("carrier", RATE, 1_000, 1_000_000_000_000L));
    }
}
