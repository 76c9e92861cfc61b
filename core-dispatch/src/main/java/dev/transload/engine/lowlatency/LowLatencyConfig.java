/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.lowlatency;

import com.typesafe.config.Config;
import dev.transload.engine.EngineConfig;
import dev.transload.engine.Near;
import dev.transload.engine.internal.config.ConfigReader;
import java.time.Duration;

/**
 * Validated settings of a low-latency engine. The settings come from the section {@code transload.low-latency} and from
 * these common settings: the world, names and options of the transports, the payload, {@code max-hidden},
 * {@code max-topk}, {@code max-experts}, {@code threads.idle}, {@code timeouts.open} and {@code timeouts.liveness}.
 *
 * @param common    settings that normal engines and low-latency engines have in common.
 * @param maxTokens M, largest number of tokens of a rank in one call.
 * @param channels  C, number of transport channels to each rank. Puts to a rank are distributed over its channels.
 * @param near      which ranks are reached through windows to their memory.
 * @param timeout   how long a call waits for a rank before it masks the rank. A request can override this value.
 */
public record LowLatencyConfig(EngineConfig common, int maxTokens, int channels, Near near, Duration timeout)
{
    /**
     * Creates settings with {@link Near#AUTO}: ranks are reached through windows to their memory wherever windows
     * exist.
     *
     * @param common    settings that normal engines and low-latency engines have in common.
     * @param maxTokens M, largest number of tokens of a rank in one call.
     * @param channels  C, number of transport channels to each rank.
     * @param timeout   how long a call waits for a rank before it masks the rank. A request can override this value.
     */
    public LowLatencyConfig(
        final EngineConfig common, final int maxTokens, final int channels, final Duration timeout)
    {
        this(common, maxTokens, channels, Near.AUTO, timeout);
    }

    /**
     * Reads and validates a configuration.
     *
     * @param root resolved configuration that holds a {@code transload} section.
     * @return settings.
     * @throws dev.transload.spi.ConfigurationException if a value is not allowed; the message names the key, the value
     *                                                  and the allowed values.
     */
    public static LowLatencyConfig from(final Config root)
    {
        final ConfigReader reader = new ConfigReader(root);
        final EngineConfig common = reader.read();
        final ConfigReader.LowLatency own = reader.lowLatency(common.callTimeout());
        return new LowLatencyConfig(common, own.maxTokens(), own.channels(), own.near(), own.timeout());
    }

    LowLatencyConfig with(final EngineConfig settled)
    {
        return new LowLatencyConfig(settled, maxTokens, channels, near, timeout);
    }
}
