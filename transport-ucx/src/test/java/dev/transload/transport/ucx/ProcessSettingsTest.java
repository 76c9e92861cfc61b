/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.ucx;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.transload.spi.ConfigurationException;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Names that UCX does not have: what is claimed stays claimed in this process. */
class ProcessSettingsTest
{
    @Test
    void shouldClaimWhatNobodyHasSet()
    {
        assertEquals(Map.of("UCX_TEST_FIRST", "1"), ProcessSettings.claim(Map.of("TEST_FIRST", "1"), Map.of()));
        assertEquals(Map.of("UCX_TEST_FIRST", "1"), ProcessSettings.claim(Map.of("TEST_FIRST", "1"), Map.of()),
            "the same again");
    }

    @Test
    void shouldRefuseTwoWishesForOneSetting()
    {
        ProcessSettings.claim(Map.of("TEST_SECOND", "1"), Map.of());
        final ConfigurationException refusal = assertThrows(ConfigurationException.class,
            () -> ProcessSettings.claim(Map.of("TEST_SECOND", "2"), Map.of()));
        assertEquals("transload.ucx.settings = TEST_SECOND=2 is not allowed: UCX reads UCX_TEST_SECOND once a " +
            "process, and a transport of this process has set it to 1", refusal.getMessage());
    }

    @Test
    void shouldLeaveTheLastWordToTheEnvironment()
    {
        assertEquals(Map.of(),
            ProcessSettings.claim(Map.of("TEST_THIRD", "1"), Map.of("UCX_TEST_THIRD", "2")));
        assertEquals(Map.of("UCX_TEST_THIRD", "3"), ProcessSettings.claim(Map.of("TEST_THIRD", "3"), Map.of()),
            "what was not used was not claimed");
    }
}
