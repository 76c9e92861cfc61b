/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.nvlink;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.transload.spi.Access;
import dev.transload.spi.Availability;
import dev.transload.spi.Capability;
import dev.transload.spi.Channel;
import dev.transload.spi.ConfigurationException;
import dev.transload.spi.MemoryKind;
import dev.transload.spi.MemoryRegion;
import dev.transload.spi.RowList;
import dev.transload.spi.Transport;
import dev.transload.spi.TransportConfig;
import dev.transload.spi.TransportUnavailableException;

import java.nio.ByteBuffer;
import org.agrona.BufferUtil;
import org.junit.jupiter.api.Test;

class NvlinkTransportTest
{
    private static final long TOO_MUCH = 1L << 39;

    @Test
    void shouldRefuseWhatIsNotAllowed()
    {
        for (final String[] wrong : new String[][] {{"streams", "0"}, {"sms", "129"}, {"device", "first"},
            {"idle", "doze"}, {"timeout-ms", "1"}, {"library", " "}, {"lanes", "4"}, {"proxy", "on"},
            {"proxy-sms", "4"}, {"proxy-idle-us", "200"}, {"proxy-residency-ms", "50"}, {"proxy-max-bytes", "8"}})
        {
            final TransportConfig config =
                TransportConfig.builder().options(Emulator.options(wrong[0], wrong[1])).build();
            final String message = assertThrows(ConfigurationException.class, () -> NvlinkOptions.of(config), wrong[0])
                .getMessage();
            assertTrue(message.startsWith("transload.nvlink." + wrong[0]), message);
            assertEquals(wrong[0].startsWith("proxy"), message.contains(" is gone: remove it"), message);
        }
    }

    @Test
    void shouldSayThatItIsEmulated()
    {
        final Availability verdict = new NvlinkTransportProvider().probe(
            TransportConfig.builder().options(Emulator.options()).build());
        assertTrue(((Availability.Available)verdict).capabilities().has(Capability.EMULATED));
    }

    @Test
    void shouldRefuseASecondDriver()
    {
        try (Transport transport = Pair.open(0, Emulator.options()))
        {
            final String message = assertThrows(TransportUnavailableException.class,
                () -> Pair.open(1, Emulator.options("library", "libcuda.so.1"))).getMessage();
            assertTrue(message.contains("it cannot open libcuda.so.1 too"), message);
            assertEquals(0, transport.allocate(MemoryKind.CUDA, 0, 1, Access.LOCAL).device());
        }
    }

    @Test
    void shouldSayHowMuchMemoryTheDeviceLacks()
    {
        try (Transport transport = Pair.open(0, Emulator.options()))
        {
            final String message = assertThrows(TransportUnavailableException.class,
                () -> transport.allocate(MemoryKind.CUDA, 0, TOO_MUCH, Access.REMOTE)).getMessage();
            assertTrue(message.startsWith("transport nvlink: " + TOO_MUCH + " bytes were asked for on device 0 ("),
                message);
            assertEquals(Pair.BYTES, transport.allocate(MemoryKind.CUDA, 0, Pair.BYTES, Access.REMOTE).length(),
                "memory after a shortage");
        }
    }

    @Test
    void shouldRefuseMemoryOfAnotherDevice()
    {
        try (Transport transport = Pair.open(1, Emulator.options()))
        {
            final String message = assertThrows(IllegalArgumentException.class,
                () -> transport.allocate(MemoryKind.CUDA, 0, 1, Access.LOCAL)).getMessage();
            assertTrue(message.startsWith("device=0: this transport drives device 1 ("), message);
        }
    }

    @Test
    void shouldRegisterDeviceMemoryOfTheCallerAndNothingElse()
    {
        try (Pair pair = new Pair(Emulator.options()))
        {
            final MemoryRegion part = pair.near.register(
                MemoryKind.CUDA, 0, pair.source.address() + 64, Pair.BYTES - 64, Access.LOCAL);
            pair.channel.put(part, 0, pair.remote, 0, part.length());
            pair.await(() -> pair.channel.deliveredPosition() >= 1);
            assertThrows(IllegalArgumentException.class, () ->
                pair.near.register(MemoryKind.CUDA, 0, pair.target.address(), 64, Access.LOCAL), "of device 1");
            final ByteBuffer host = BufferUtil.allocateDirectAligned(64, 64);
            assertThrows(IllegalArgumentException.class, () ->
                pair.near.register(MemoryKind.CUDA, 0, BufferUtil.address(host), 64, Access.LOCAL), "of the host");
            assertThrows(IllegalArgumentException.class, () ->
                pair.near.register(MemoryKind.CUDA, 0, pair.source.address(), TOO_MUCH, Access.LOCAL), "too long");
        }
    }

    @Test
    void shouldRefuseRowsThatTheDeviceCannotRead()
    {
        try (Pair pair = new Pair(Emulator.options()))
        {
            final RowList rows = new RowList(ByteBuffer.allocateDirect(RowList.STRIDE), 1).rowLength(64);
            final String message = assertThrows(IllegalArgumentException.class,
                () -> pair.channel.putRows(pair.source, pair.remote, rows, 0, 1)).getMessage();
            assertTrue(message.contains("allocateRows"), message);
            assertEquals(0, pair.channel.position());
        }
    }

    @Test
    void shouldPressBackWhenTheDeviceHasEnoughToDo()
    {
        try (Pair pair = new Pair(Emulator.options("streams", "1")))
        {
            long accepted = 0;
            long last = 0;
            while (last >= 0 && accepted < 100_000)
            {
                last = pair.channel.put(pair.source, 0, pair.remote, 0, Pair.BYTES);
                accepted += last >= 0 ? 1 : 0;
            }

            assertEquals(Channel.BACK_PRESSURED, last, "after " + accepted + " puts without progress");
            final long all = accepted;
            assertTrue(all >= StreamLane.MAX_IN_FLIGHT, "after " + all);
            pair.await(() -> pair.channel.deliveredPosition() >= all);
        }
    }

    @Test
    void shouldNotGoBackBehindWhatWasDoneAtOnce()
    {
        try (Pair pair = new Pair(Emulator.options()))
        {
            for (int round = 0; round < 10; round++)
            {
                pair.flush();
                final long done = pair.channel.flush();
                pair.await(() -> pair.channel.releasedPosition() >= done);
                pair.channel.put(pair.source, 0, pair.remote, 0, Pair.BYTES);
                assertTrue(pair.channel.releasedPosition() >= done, "behind " + done);
                assertTrue(pair.channel.deliveredPosition() >= done, "behind " + done);
            }
        }
    }
}
