/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.rank;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.transload.engine.EngineConfig;
import dev.transload.engine.lowlatency.LowLatencyConfig;
import dev.transload.rendezvous.InMemoryRendezvous;
import dev.transload.spi.ConfigurationException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** Exit codes and sentences of commands come from exceptions, so that none may be wrapped. */
class RankCompositionTest
{
    private final Config config = ConfigFactory.parseString(
        "transload { scale-out.transport = telepathy, scale-up.transport = telepathy }")
        .withFallback(ConfigFactory.load());
    private final InMemoryRendezvous alone = InMemoryRendezvous.world(1).get(0);

    @Test
    void shouldThrowWhatTheEngineThrows()
    {
        assertRefused(() -> RankComposition.engine(EngineConfig.from(config), alone));
    }

    @Test
    void shouldThrowWhatTheEngineOfTheLowLatencyModeThrows()
    {
        assertRefused(() -> RankComposition.lowLatencyEngine(LowLatencyConfig.from(config), alone));
    }

    private static void assertRefused(final Executable opening)
    {
        final ConfigurationException refusal = assertThrows(ConfigurationException.class, opening);
        assertTrue(refusal.getMessage().contains("telepathy"), refusal.getMessage());
    }
}
