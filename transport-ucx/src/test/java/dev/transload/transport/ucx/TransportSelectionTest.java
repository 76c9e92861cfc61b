/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.ucx;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.transload.spi.TransportUnavailableException;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TransportSelectionTest
{
    /** A file system that has no room for anything. */
    private static final Path FULL = Path.of("/proc");

    @ParameterizedTest
    @CsvSource({
        "posix;self,     false, true,  true",
        "sysv;self,      false, true,  false",
        "posix;sysv,     false, true,  false",
        "shm,            false, true,  false",
        "sm;self,        false, true,  false",
        "xpmem;posix,    false, true,  true",
        "cma;self,       false, false, false",
        "self,           false, false, false",
        "tcp,            true,  false, false",
        "posix;tcp;self, true,  true,  true",
        "rc_x;self,      true,  false, false",
        "posix;cuda_copy, false, true, true",
        "all,            true,  true,  false",
        "^posix,         true,  true,  false",
        "'',             true,  true,  false"})
    void shouldKnowWhereNamesLead(
        final String names, final boolean network, final boolean sharedMemory, final boolean files)
    {
        final TransportSelection selection = new TransportSelection(names.replace(';', ','));
        assertEquals(network, selection.hasNetwork(), "network");
        assertEquals(sharedMemory, selection.hasSharedMemory(), "shared memory");
        assertEquals(files, selection.allocatesFiles(), "files");
    }

    @ParameterizedTest
    @CsvSource({"'', true", "all, true", "rc;self, true", "dc_x, true", "ib;self, true", "^cma, true", "^ib, false",
        "ud, false", "tcp;self, false", "posix;self, false"})
    void shouldKnowWhereCardsMayAdd(final String names, final boolean mayAdd)
    {
        assertEquals(mayAdd, new TransportSelection(names.replace(';', ',')).mayAddByCard());
    }

    @Test
    void shouldTakeConfigurationThenEnvironmentThenWhatTheHostHas()
    {
        final Map<String, String> settings = Map.of("TLS", "tcp");
        final Map<String, String> environment = Map.of("UCX_TLS", "rc");
        assertEquals("tcp", TransportSelection.of(settings, environment, true).text());
        assertEquals("rc", TransportSelection.of(Map.of(), environment, true).text());
        assertEquals("", TransportSelection.of(Map.of(), Map.of(), true).text());
        assertEquals("^cma", TransportSelection.of(Map.of(), Map.of(), false).text());
    }

    @Test
    void shouldRefuseMemoryThatSharedMemoryHasNoRoomFor()
    {
        final String message = assertThrows(TransportUnavailableException.class,
            () -> UcxContext.requireSharedMemory(new TransportSelection("posix,self"), 1, FULL)).getMessage();
        assertEquals("transport ucx: 1 bytes of shared memory were asked for, 0 are free in /proc: enlarge it, ask " +
            "for less, or let UCX use sysv by transload.ucx.tls", message);
        assertTrue(Path.of("/dev/shm").toFile().isDirectory());
        UcxContext.requireSharedMemory(new TransportSelection("posix,self"), 1, Path.of("/dev/shm"));
        UcxContext.requireSharedMemory(new TransportSelection("sysv,self"), 1, FULL);
    }
}
