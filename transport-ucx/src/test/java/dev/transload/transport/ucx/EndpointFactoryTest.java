/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.ucx;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.transload.transport.base.HostIdentity;
import dev.transload.transport.base.PeerIdentity;
import dev.transload.transport.base.ProcessIdentity;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What depends on where the peer is and what this host has. */
class EndpointFactoryTest
{
    private static final ProcessIdentity HERE = new ProcessIdentity(1, 1, new HostIdentity("here", "1"));
    private static final ProcessIdentity ELSEWHERE = new ProcessIdentity(1, 1, new HostIdentity("elsewhere", "1"));

    @ParameterizedTest
    @CsvSource({
        "posix;self, auto, false, true",
        "tcp,        auto, true,  true",
        "'',         auto, false, true",
        "rc;self,    auto, true,  true",
        "posix;self, peer, true,  true",
        "tcp,        none, false, false"})
    void shouldLetUcxWatchConnectionsThatAreNotSharedMemory(
        final String tls, final String handling, final boolean here, final boolean elsewhere)
    {
        final UcxOptions options = UcxOptions.of(Rank.config(0, Map.of("error-handling", handling)));
        final EndpointFactory endpoints =
            new EndpointFactory(null, options, new TransportSelection(tls.replace(';', ',')), HERE);
        assertEquals(here, endpoints.handlesErrors(peer(HERE)), "on this host");
        assertEquals(elsewhere, endpoints.handlesErrors(peer(ELSEWHERE)), "on another host");
    }

    @Test
    void shouldAddByTheCpuWhereNoCardAddsToo()
    {
        final TransportSelection shared = new TransportSelection("posix,self");
        assertTrue(NetworkCards.areAddsByCpu(UcxOptions.of(Rank.config(0, Map.of())), shared));
        assertFalse(NetworkCards.areAddsByCpu(UcxOptions.of(Rank.config(0, Map.of("atomics", "ucx"))), shared));
        assertTrue(NetworkCards.areAddsByCpu(UcxOptions.of(Rank.config(0, Map.of("atomics", "cpu"))),
            new TransportSelection("rc")));
    }

    @Test
    void shouldFindDevicesWhereThereAreAny(@TempDir final Path folder)
    {
        assertFalse(NetworkCards.hasDevices(folder));
        assertFalse(NetworkCards.hasDevices(folder.resolve("absent")));
        assertTrue(folder.resolve("mlx5_0").toFile().mkdir());
        assertTrue(NetworkCards.hasDevices(folder));
    }

    private static PeerIdentity peer(final ProcessIdentity process)
    {
        return new PeerIdentity(UcxOptions.TRANSPORT, 1, 1, 1, 1, process, "somewhere", ByteBuffer.allocate(0));
    }
}
