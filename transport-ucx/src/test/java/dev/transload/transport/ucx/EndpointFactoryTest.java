/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.ucx;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.transload.transport.base.HostIdentity;
import dev.transload.transport.base.PeerIdentity;
import dev.transload.transport.base.ProcessIdentity;
import dev.transload.transport.ucx.internal.ucp.UcxVersions;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
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

    @ParameterizedTest
    @CsvSource({
        "tcp;self,       1.15, auto, auto, true",
        "tcp;self,       1.16, auto, auto, false",
        "tcp;self,       1.16, auto, none, true",
        "tcp;self,       1.16, ucx,  auto, true",
        "tcp;self,       1.15, none, auto, false",
        "posix;self,     1.16, auto, auto, true",
        "posix;self,     1.16, auto, peer, false",
        "posix;self;tcp, 1.16, cpu,  auto, false"})
    void shouldAskUcxForAddsWhereItHasThem(
        final String tls, final String version, final String atomics, final String handling, final boolean isAsked)
    {
        final UcxOptions options =
            UcxOptions.of(Rank.config(0, Map.of("atomics", atomics, "error-handling", handling)));
        final UcxVersions versions =
            new UcxVersions(1, Integer.parseInt(version.substring(2)), 0, "1.15.0", "JNI");
        assertEquals(isAsked,
            NetworkCards.areAddsByUcx(options, new TransportSelection(tls.replace(';', ',')), versions));
    }

    @Test
    void shouldFindPortsThatAreConnected(@TempDir final Path folder) throws IOException
    {
        assertFalse(NetworkCards.hasActivePort(folder.resolve("absent")));
        final Path port = Files.createDirectories(folder.resolve("mlx5_0/ports/1"));
        Files.writeString(port.resolve("state"), "1: DOWN\n");
        assertFalse(NetworkCards.hasActivePort(folder));
        Files.writeString(port.resolve("state"), "4: ACTIVE\n");
        assertTrue(NetworkCards.hasActivePort(folder));
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
