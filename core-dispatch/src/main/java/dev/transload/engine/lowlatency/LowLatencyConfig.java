/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.lowlatency;

import com.typesafe.config.Config;
import dev.transload.engine.EngineConfig;
import dev.transload.engine.Near;
import dev.transload.engine.internal.config.ConfigReader;
import java.time.Duration;

/**
 * Validated settings of a low-latency engine: section {@code transload.low-latency}, and of the common keys the world,
 * the transports' names and options, the payload, {@code max-hidden}, {@code max-topk}, {@code max-experts},
 * {@code threads.idle} and the time-outs of opening and of liveness.
 *
 * @param common    settings shared with the engine.
 * @param maxTokens M, most tokens of one call of a rank.
 * @param channels  C, transport channels to each rank; what is put to it is dealt to them.
 * @param near      which ranks are reached in place.
 * @param timeout   how long a call waits for a rank before it is masked, unless a request says otherwise.
 */
public record LowLatencyConfig(EngineConfig common, int maxTokens, int channels, Near near, Duration timeout)
{
    /**
     * With all ranks near that can be.
     *
     * @param common    settings shared with the engine.
     * @param maxTokens M, most tokens of one call of a rank.
     * @param channels  C, transport channels to each rank.
     * @param timeout   how long a call waits for a rank.
     */
    public LowLatencyConfig(
        final EngineConfig common, final int maxTokens, final int channels, final Duration timeout)
    {
        this(common, maxTokens, channels, Near.AUTO, timeout);
    }

    /**
     * Read and validate a configuration.
     *
     * @param root resolved configuration that holds a {@code transload} section.
     * @return settings.
     * @throws dev.transload.spi.ConfigurationException naming the key, the value and what is allowed.
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
