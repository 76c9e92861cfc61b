/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.ucx;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.transload.spi.ConfigurationException;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class UcxOptionsTest
{
    private static UcxOptions options(final Map<String, String> values)
    {
        return UcxOptions.of(Rank.config(0, values));
    }

    @Test
    void shouldLeaveUcxAloneByDefault()
    {
        final UcxOptions options = options(Map.of());
        assertTrue(options.isDefault());
        assertTrue(options.direct());
        assertEquals(UcxOptions.AUTO, options.atomics());
        assertEquals(8192, options.maxOperations());
        assertEquals(4_000_000, options.maxParkNs());
    }

    @Test
    void shouldTellSettingsOfAContextFromThoseOfTheProcess()
    {
        final UcxOptions options = options(Map.of("tls", "rc,self", "net-devices", "mlx5_0:1",
            "settings", "  IB_TRAFFIC_CLASS=106   IB_SL=3 EMPTY= "));
        assertFalse(options.isDefault());
        assertEquals(Map.of("TLS", "rc,self", "NET_DEVICES", "mlx5_0:1"), options.contextSettings());
        assertEquals(Map.of("IB_TRAFFIC_CLASS", "106", "IB_SL", "3", "EMPTY", ""), options.processSettings());
    }

    @ParameterizedTest
    @CsvSource({
        "tls, 'posix, self'",
        "net-devices, 'a b'",
        "settings, novalue",
        "settings, UCX_IB_SL=3",
        "settings, TLS=tcp",
        "settings, NET_DEVICES=eth0",
        "settings, 'IB_SL=3 ib_sl=4'",
        "direct, always",
        "atomics, nic",
        "error-handling, on",
        "max-operations, 1",
        "max-operations, 65537",
        "max-operations, many",
        "calls, JNI",
        "device, cuda",
        "device, -1",
        "idle, sleepy",
        "max-park-us, 0",
        "max-park-us, 100001"})
    void shouldRefuseInOneSentenceThatSaysWhatIsAllowed(final String key, final String value)
    {
        final ConfigurationException refusal =
            assertThrows(ConfigurationException.class, () -> options(Map.of(key, value)));
        assertTrue(refusal.getMessage().startsWith("transload.ucx." + key + " = " + value +
            " is not allowed: must be "), refusal.getMessage());
        assertFalse(refusal.getMessage().contains("\n"), refusal.getMessage());
    }

    @Test
    void shouldRefuseKeysThatItDoesNotKnow()
    {
        final ConfigurationException refusal =
            assertThrows(ConfigurationException.class, () -> options(Map.of("tsl", "tcp")));
        assertTrue(refusal.getMessage().startsWith("transload.ucx.tsl is not a key of this transport: known are "),
            refusal.getMessage());
        UcxOptions.ALL.forEach((option) ->
            assertTrue(refusal.getMessage().contains(option.key()), option.key()));
    }
}
