/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.metrics;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.transload.spi.ConfigurationException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MetricsConfigTest
{
    private static MetricsConfig config(final String text)
    {
        final Config reference = ConfigFactory.parseResources(MetricsConfig.class.getClassLoader(), "reference.conf");
        return MetricsConfig.from(ConfigFactory.parseString(text).withFallback(reference).resolve());
    }

    @Test
    void shouldBeOffUnlessAPortIsChosen()
    {
        assertFalse(config("").isOn());
        assertTrue(config("transload.metrics.port = 9400").isOn());
    }

    @Test
    void shouldGiveEachRankAPortOfItsOwn()
    {
        assertEquals(9400, config("transload.metrics.port = 9400").portOf(0));
        assertEquals(9403, config("transload.metrics.port = \"9400\"").portOf(3));
        assertEquals(0, config("transload.metrics.port = 0").portOf(3), "any free one");
    }

    @ParameterizedTest
    @ValueSource(strings = { "on", "-1", "65536", "9400.5", "0.0.0.0" })
    void shouldRefuseWhatIsNoPort(final String value)
    {
        final String message = assertThrows(ConfigurationException.class,
            () -> config("transload.metrics.port = \"" + value + "\"")).getMessage();
        assertTrue(message.startsWith("transload.metrics.port = " + value) && message.contains("65535"), message);
    }

    @Test
    void shouldRefuseAPortBeyondTheLast()
    {
        final MetricsConfig config = config("transload.metrics.port = 65534");
        assertEquals(65535, config.portOf(1));
        assertTrue(assertThrows(ConfigurationException.class, () -> config.portOf(2)).getMessage().contains("rank 2"));
    }

    @ParameterizedTest
    @ValueSource(strings = { "host", "bind" })
    void shouldNameTheKeysThatThereAre(final String key)
    {
        final String message = assertThrows(ConfigurationException.class,
            () -> config("transload.metrics { port = 0, " + key + " = 0.0.0.0 }")).getMessage();
        assertTrue(message.startsWith("transload.metrics." + key + " is not a key: known here are address and port"),
            message);
    }

    @Test
    void shouldServeOnLoopbackUnlessAnotherAddressIsChosen()
    {
        assertTrue(config("transload.metrics.port = 0").address().isLoopbackAddress());
        assertEquals("10.1.2.3",
            config("transload.metrics { port = 0, address = 10.1.2.3 }").address().getHostAddress());
    }

    @Test
    void shouldRefuseWhatIsNoAddress()
    {
        final String message = assertThrows(ConfigurationException.class,
            () -> config("transload.metrics { port = 0, address = \"no such host\" }")).getMessage();
        assertTrue(message.startsWith("transload.metrics.address = no such host is not allowed: "), message);
        assertFalse(config("transload.metrics.address = \"no such host\"").isOn(), "what is off needs no address");
    }
}
