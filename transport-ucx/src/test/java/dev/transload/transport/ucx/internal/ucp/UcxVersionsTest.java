/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.ucx.internal.ucp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class UcxVersionsTest
{
    @ParameterizedTest
    @CsvSource({"1,13,1,1.15.0", "1,13,0,1.16.0", "1,17,0,1.15.0", "1,18,0,1.18.1", "1,19,1,1.18.1",
        "1,19,0,1.19.1-rc2", "1,20,0,1.18.0", "2,0,0,1.18.1"})
    void shouldAcceptPairsThatFit(final int major, final int minor, final int release, final String jucx)
    {
        assertNull(new UcxVersions(major, minor, release, jucx, "JNI").problem());
    }

    @ParameterizedTest
    @CsvSource({"1,18,0,1.15.0", "1,19,0,1.17.0", "1,13,1,1.18.1", "1,17,0,1.19.1-rc1", "2,0,0,1.15.0"})
    void shouldRefusePairsThatDoNotFit(final int major, final int minor, final int release, final String jucx)
    {
        final String problem = new UcxVersions(major, minor, release, jucx, "JNI").problem();
        assertNotNull(problem);
        assertTrue(problem.contains("jucx " + jucx + " is for UCX"), problem);
        assertTrue(problem.contains("this host has UCX " + major + '.' + minor + '.' + release), problem);
    }

    @Test
    void shouldRefuseWhatIsTooOld()
    {
        assertEquals("UCX 1.12.1 is too old: 1.13 or newer is needed",
            new UcxVersions(1, 12, 1, "1.15.0", "JNA").problem());
        assertEquals("UCX 0.99.0 is too old: 1.13 or newer is needed",
            new UcxVersions(0, 99, 0, "1.15.0", "JNA").problem());
    }

    @Test
    void shouldRefuseAJucxWithoutAVersion()
    {
        assertEquals("jucx has no version that can be compared with UCX 1.13.1: unknown",
            new UcxVersions(1, 13, 1, "unknown", "JNI").problem());
    }

    @Test
    void shouldKnowWhereUcxAddsOverWatchedConnections()
    {
        assertTrue(new UcxVersions(1, 15, 0, "1.15.0", "JNI").hasWatchedAdds());
        assertFalse(new UcxVersions(1, 16, 0, "1.15.0", "JNI").hasWatchedAdds());
        assertFalse(new UcxVersions(2, 0, 0, "1.18.1", "JNI").hasWatchedAdds());
    }

    @Test
    void shouldSayOfAVersionThatItWasNeverTested()
    {
        final String described = new UcxVersions(1, 99, 0, "1.18.1", "JNI").toString();
        assertTrue(described.startsWith(
            "UCX 1.99.0 (jucx 1.18.1, JNI), a version that has not been tested; tested: 1.13.1, "), described);
    }

    @Test
    void shouldReadWhatUcxPacks()
    {
        final UcxVersions versions = UcxVersions.of(UcxVersions.pack(1, 13, 1), "1.15.0", "JNI");
        assertEquals(new UcxVersions(1, 13, 1, "1.15.0", "JNI"), versions);
        assertEquals("UCX 1.13.1 (jucx 1.15.0, JNI)", versions.toString());
    }
}
