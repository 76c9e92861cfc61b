/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.config;

import dev.transload.engine.EngineConfig;
import dev.transload.engine.StageConfig;
import dev.transload.spi.TransportRegistry;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Which transports carry the stages, where several are allowed. */
public final class TransportRule
{
    private static final Logger LOGGER = LoggerFactory.getLogger(TransportRule.class);

    private TransportRule()
    {
    }

    /**
     * Settle the transports of an engine that opens, and say why others were passed over.
     *
     * @return config whose stages name one transport each.
     * @see EngineConfig#resolve
     */
    public static EngineConfig settle(final EngineConfig config, final TransportRegistry transports, final int rank)
    {
        final EngineConfig settled = config.resolve(transports);
        say("scale-out", settled.scaleOut(), rank);
        say("scale-up", settled.scaleUp(), rank);
        return settled;
    }

    private static void say(final String section, final StageConfig stage, final int rank)
    {
        if (!stage.passedOver().isEmpty())
        {
            LOGGER.info("rank {} takes {} for transload.{}.transport: {}", rank, stage.transport(), section,
                stage.passedOver().stream().map(StageConfig.PassedOver::toString).collect(Collectors.joining("; ")));
        }
    }
}
