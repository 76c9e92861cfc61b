/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.transload.spi.Availability;
import dev.transload.spi.ConfigOption;
import dev.transload.spi.SpiVersion;
import dev.transload.spi.Transport;
import dev.transload.spi.TransportConfig;
import dev.transload.spi.TransportProvider;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which transports are told the payload's device. */
class PayloadConfigTest
{
    private record Offering(List<ConfigOption> options) implements TransportProvider
    {
        @Override
        public String name()
        {
            return "offering";
        }

        @Override
        public int spiVersion()
        {
            return SpiVersion.CURRENT;
        }

        @Override
        public Availability probe(final TransportConfig config)
        {
            throw new UnsupportedOperationException("nobody asks");
        }

        @Override
        public Transport open(final TransportConfig config)
        {
            throw new UnsupportedOperationException("nobody asks");
        }
    }

    @ParameterizedTest
    @CsvSource({"device, auto, , 3", "device, auto, 1, 1", "device, off, , ", "device, off, on, 3",
        "device, off, off, off", "device, off, 1, 1", "other, off, , "})
    void shouldTellADeviceToTransportsOfDevicesAndToOthersWhereTheyAreAsked(
        final String key, final String defaultValue, final String said, final String told)
    {
        final Map<String, String> options = new HashMap<>();
        if (null != said)
        {
            options.put(key, said);
        }

        PayloadConfig.tellDevice(
            new Offering(List.of(new ConfigOption(key, defaultValue, "anything", "For this test."))), options, 3);
        assertEquals(told, options.get("device"));
    }
}
