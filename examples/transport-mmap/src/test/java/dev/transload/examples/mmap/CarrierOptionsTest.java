/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.examples.mmap;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.transload.spi.ConfigurationException;
import dev.transload.spi.TransportConfig;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What the guide says of options. */
class CarrierOptionsTest
{
    @Test
    void shouldReadANumberOrItsDefault()
    {
        assertEquals(256, options(Map.of()).queueDepth());
        assertEquals(8, options(Map.of("queue-depth", "8")).queueDepth());
    }

    @Test
    void shouldRefuseWhatIsNotAllowedByOneSentence()
    {
        assertEquals("transload.carrier.queue-depth = 0 is not allowed: must be in [1, 65536]",
            assertThrows(ConfigurationException.class, () -> options(Map.of("queue-depth", "0"))).getMessage());
        assertEquals("transload.carrier.queue-dept is not a key of this transport: known are queue-depth, " +
            "rate, region-directory; did you mean transload.carrier.queue-depth?",
            assertThrows(ConfigurationException.class, () -> options(Map.of("queue-dept", "8"))).getMessage());
    }

    private static CarrierOptions options(final Map<String, String> given)
    {
        return CarrierOptions.of(TransportConfig.builder().options(given).build());
    }
}
