/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.base;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

class RegionDescriptorTest
{
    private static RegionDescriptor descriptor(final int kind, final int keyLength)
    {
        return new RegionDescriptor(kind, 7, 1L << 40, 0, Ranks.identity(2), ByteBuffer.allocate(keyLength));
    }

    @Test
    void shouldSurviveTheJourney()
    {
        final RegionDescriptor region = descriptor(RegionDescriptor.REGION, 200);
        assertEquals(region, RegionDescriptor.decode(Ranks.TRANSPORT, RegionDescriptor.REGION, region.encode()));
        assertEquals("region-7", region.name());
        assertEquals(1L << 40, region.memoryLength());
        assertEquals(64L << 40, descriptor(RegionDescriptor.SIGNALS, 0).memoryLength());
    }

    @Test
    void shouldTellRegionsFromSignals()
    {
        final ByteBuffer bytes = descriptor(RegionDescriptor.SIGNALS, 0).encode();
        final IllegalArgumentException thrown = assertThrows(IllegalArgumentException.class,
            () -> RegionDescriptor.decode(Ranks.TRANSPORT, RegionDescriptor.REGION, bytes));
        assertEquals("descriptor is that of signals, not of a region", thrown.getMessage());
    }

    @Test
    void shouldRefuseWhatIsCutShort()
    {
        final ByteBuffer whole = descriptor(RegionDescriptor.REGION, 20).encode();
        for (int length = 0; length < whole.remaining(); length++)
        {
            final ByteBuffer part = whole.duplicate().limit(length);
            assertThrows(IllegalArgumentException.class,
                () -> RegionDescriptor.decode(Ranks.TRANSPORT, RegionDescriptor.REGION, part), "length " + length);
        }
    }

    @Test
    void shouldNotHandOutMoreThanTheSpiAllows()
    {
        final RegionDescriptor large = descriptor(RegionDescriptor.REGION, RegionDescriptor.MAX_LENGTH);
        assertTrue(assertThrows(IllegalStateException.class, large::encode).getMessage().contains("region-7"));
    }
}
