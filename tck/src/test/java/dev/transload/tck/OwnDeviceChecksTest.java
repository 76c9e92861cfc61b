/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.tck;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.transload.gate.BrokenProvider;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Checks that a transport brings are found on a class path where those of another one are broken. */
class OwnDeviceChecksTest
{
    @TempDir
    private Path folder;

    /** Of a transport that has none to make. */
    public static final class OwnChecks implements DeviceChecks
    {
        @Override
        public String transport()
        {
            return "carrier";
        }

        @Override
        public Map<String, String> describe(final Map<String, String> options)
        {
            return Map.of();
        }

        @Override
        public String link(final Map<String, String> options, final int from, final int to)
        {
            return "wire";
        }

        @Override
        public List<DeviceCheck> checks()
        {
            return List.of();
        }

        @Override
        public String answer(final String question)
        {
            throw new IllegalArgumentException(question);
        }
    }

    @Test
    void shouldBeFoundBehindAProviderThatIsBroken() throws IOException
    {
        assertEquals(OwnChecks.class, find("carrier", new ArrayList<>()).getClass());
    }

    @Test
    void shouldSayWhatIsBrokenWhereThereAreNone() throws IOException
    {
        final List<String> refused = new ArrayList<>();
        assertNull(find("other", refused));
        assertEquals(1, refused.size(), refused::toString);
        assertTrue(refused.get(0).contains(BrokenProvider.MISSING), refused::toString);
    }

    private DeviceChecks find(final String transport, final List<String> refused) throws IOException
    {
        return BrokenProvider.ahead(folder, DeviceChecks.class,
            List.of(BrokenProvider.MISSING, OwnChecks.class.getName()), () -> DeviceRun.find(transport, refused));
    }
}
