/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.ucx;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.transload.spi.ConfigurationException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Names that UCX does not have: what is claimed stays claimed in this process. */
class ProcessSettingsTest
{
    @Test
    void shouldClaimWhatNobodyHasSet()
    {
        assertEquals(Map.of("UCX_TEST_FIRST", "1"), claim(Map.of("TEST_FIRST", "1")));
        assertEquals(Map.of("UCX_TEST_FIRST", "1"), claim(Map.of("TEST_FIRST", "1")), "the same again");
    }

    @Test
    void shouldRefuseTwoWishesForOneSetting()
    {
        claim(Map.of("TEST_SECOND", "1"));
        final ConfigurationException refusal = assertThrows(ConfigurationException.class,
            () -> claim(Map.of("TEST_SECOND", "2")));
        assertEquals("transload.ucx.settings = TEST_SECOND=2 is not allowed: UCX reads UCX_TEST_SECOND once a " +
            "process, and a transport of this process has set it to 1", refusal.getMessage());
    }

    @Test
    void shouldLeaveTheLastWordToTheEnvironment()
    {
        assertEquals(Map.of(),
            ProcessSettings.claim(Map.of("TEST_THIRD", "1"), Map.of(), Map.of("UCX_TEST_THIRD", "2")));
        assertEquals(Map.of("UCX_TEST_THIRD", "3"), claim(Map.of("TEST_THIRD", "3")),
            "what was not used was not claimed");
    }

    @Test
    void shouldNotSetADefaultBehindASettingInForce()
    {
        final Map<String, String> defaults = Map.of("TEST_FOURTH", "4", "TEST_FIFTH", "5", "TEST_SIXTH", "6");
        assertEquals(Map.of("UCX_TEST_FOURTH", "40", "UCX_TEST_SIXTH", "6"), ProcessSettings.claim(
            Map.of("TEST_FOURTH", "40"), defaults, Map.of("UCX_TEST_FIFTH", "50")));
        assertEquals(Map.of(), ProcessSettings.claim(Map.of(), defaults, Map.of("UCX_TEST_FIFTH", "50")));
        assertThrows(ConfigurationException.class, () -> claim(Map.of("TEST_SIXTH", "60")),
            "UCX may have read the default");
    }

    @Test
    void shouldSendLargeMessagesOverTcpUnlessTheUserSetsASize()
    {
        for (final String size : List.of("TCP_TX_SEG_SIZE", "TCP_RX_SEG_SIZE"))
        {
            assertEquals("256k", ProcessSettings.defaults(Map.of(), Map.of()).get(size), size);
            for (final Map<String, String> defaults : List.of(
                ProcessSettings.defaults(Map.of(size, "8k"), Map.of()),
                ProcessSettings.defaults(Map.of(), Map.of("UCX_" + size, "8k"))))
            {
                assertNull(defaults.get("TCP_TX_SEG_SIZE"), size);
                assertNull(defaults.get("TCP_RX_SEG_SIZE"), size);
            }
        }
    }

    private static Map<String, String> claim(final Map<String, String> settings)
    {
        return ProcessSettings.claim(settings, Map.of(), Map.of());
    }
}
