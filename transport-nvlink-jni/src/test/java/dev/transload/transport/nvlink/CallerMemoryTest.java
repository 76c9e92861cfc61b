/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.nvlink;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.transload.spi.Access;
import dev.transload.spi.MemoryKind;
import dev.transload.spi.MemoryRegion;
import dev.transload.spi.RemoteRegion;
import dev.transload.spi.TransportUnavailableException;
import dev.transload.spi.UnsupportedCapabilityException;
import dev.transload.transport.nvlink.cuda.CudaDevice;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.agrona.BufferUtil;
import org.junit.jupiter.api.Test;

/** Device memory that somebody else allocated in this process, written and read by a peer. */
class CallerMemoryTest
{
    private static final int OFFSET = 4096;

    @Test
    void shouldExposeAPartOfAnAllocation()
    {
        try (Pair pair = new Pair(Emulator.options()))
        {
            final CudaDevice device = Emulator.device(1);
            final long address = device.allocate(Pair.BYTES + OFFSET);
            try (MemoryRegion region = pair.far.register(
                MemoryKind.CUDA, 1, address + OFFSET, Pair.BYTES, Access.REMOTE))
            {
                assertWritten(pair, region);
            }
            finally
            {
                device.free(address);
            }
        }
    }

    @Test
    void shouldLeaveARegistrationToItsUserWhereItsOwnFailed()
    {
        final ByteBuffer memory = BufferUtil.allocateDirectAligned(4 * OFFSET, OFFSET);
        final long address = BufferUtil.address(memory);
        try (Pair pair = new Pair(Emulator.options()))
        {
            final MemoryRegion part = pair.far.register(MemoryKind.HOST, 0, address, OFFSET, Access.LOCAL);
            final MemoryRegion refused = pair.far.register(MemoryKind.HOST, 0, address, 4 * OFFSET, Access.LOCAL);
            part.close();
            final MemoryRegion whole = pair.far.register(MemoryKind.HOST, 0, address, 4 * OFFSET, Access.LOCAL);
            refused.close();
            assertTrue(Emulator.device(1).isAddressable(address), "the whole is in use");
            whole.close();
            assertFalse(Emulator.device(1).isAddressable(address), "nobody uses it");
        }
    }

    @Test
    void shouldExposeMappedMemoryAcrossItsPieces() throws IOException
    {
        try (Pair pair = new Pair(Emulator.options());
            MappedMemory memory = Emulator.mapped(1, 3, true))
        {
            final long begin = memory.address() + MappedMemory.PIECE - OFFSET / 2;
            final long before = openFiles();
            for (int round = 0; round < 3; round++)
            {
                try (MemoryRegion region = pair.far.register(
                    MemoryKind.CUDA, 1, begin, MappedMemory.PIECE + OFFSET, Access.REMOTE))
                {
                    final RemoteRegion remote = assertWritten(pair, region);
                    assertEquals(remote.window().address(),
                        pair.worker.importRegion(1, region.descriptor()).window().address(), "imported twice");
                    remote.close();
                }
            }

            // The server's socket, the memory of the imports that are left open: nothing for each round.
            pair.near.close();
            pair.far.close();
            assertTrue(openFiles() <= before, before + " files were open before, " + openFiles() + " are now");
        }
    }

    @Test
    void shouldRefuseFilesOfARegionThatIsClosed()
    {
        try (Pair pair = new Pair(Emulator.options());
            MappedMemory memory = Emulator.mapped(1, 1, true))
        {
            final MemoryRegion region =
                pair.far.register(MemoryKind.CUDA, 1, memory.address(), Pair.BYTES, Access.REMOTE);
            final ByteBuffer descriptor = region.descriptor();
            region.close();
            final String message = assertThrows(TransportUnavailableException.class,
                () -> pair.worker.importRegion(1, descriptor)).getMessage();
            assertTrue(message.startsWith("transport nvlink cannot open region-"), message);
            assertTrue(message.contains("its owner has no file of it"), message);
        }
    }

    @Test
    void shouldKeepWhatAPeerImportedWhenItsOwnerUnmapsIt()
    {
        try (Pair pair = new Pair(Emulator.options()))
        {
            final RemoteRegion remote;
            try (MappedMemory memory = Emulator.mapped(1, 2, true))
            {
                final MemoryRegion region =
                    pair.far.register(MemoryKind.CUDA, 1, memory.address(), 2 * MappedMemory.PIECE, Access.REMOTE);
                remote = assertWritten(pair, region);
                region.close();
            }

            pair.channel.put(pair.source, 0, remote, 0, Pair.BYTES);
            pair.flush();
            remote.close();
        }
    }

    @Test
    void shouldSayWhyMemoryCannotBeExposed()
    {
        try (Pair pair = new Pair(Emulator.options());
            MappedMemory memory = Emulator.mapped(1, 1, false))
        {
            final String message = assertThrows(TransportUnavailableException.class, () ->
                pair.far.register(MemoryKind.CUDA, 1, memory.address(), Pair.BYTES, Access.REMOTE)).getMessage();
            assertTrue(message.contains("created without CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR"), message);
            assertEquals(Pair.BYTES, pair.far.register(
                MemoryKind.CUDA, 1, memory.address(), Pair.BYTES, Access.LOCAL).length());
            assertTrue(assertThrows(IllegalArgumentException.class, () -> pair.far.register(
                MemoryKind.CUDA, 1, memory.address(), MappedMemory.PIECE + 1, Access.LOCAL)).getMessage()
                .contains("the allocation has " + MappedMemory.PIECE + " bytes"));
        }
    }

    @Test
    void shouldExposeDeviceMemoryOnly()
    {
        try (Pair pair = new Pair(Emulator.options()))
        {
            final MemoryRegion host = pair.near.allocate(MemoryKind.HOST, 0, Pair.BYTES, Access.LOCAL);
            final String message = assertThrows(UnsupportedCapabilityException.class, () ->
                pair.near.register(MemoryKind.HOST, 0, host.address(), Pair.BYTES, Access.REMOTE)).getMessage();
            assertEquals("transport nvlink lacks REGISTER_REMOTE for HOST memory", message);
        }
    }

    /** Bytes of the peer arrive at the end of the region, as its owner sees it. */
    private static RemoteRegion assertWritten(final Pair pair, final MemoryRegion region)
    {
        final RemoteRegion remote = pair.worker.importRegion(1, region.descriptor());
        final byte[] sent = new byte[Pair.BYTES];
        for (int i = 0; i < sent.length; i++)
        {
            sent[i] = (byte)(i * 7 + 1);
        }

        final MemoryRegion host = pair.near.allocate(MemoryKind.HOST, 0, Pair.BYTES, Access.LOCAL);
        host.hostView(0, Pair.BYTES).put(sent);
        final long at = region.length() - Pair.BYTES;
        pair.channel.put(host, 0, remote, at, Pair.BYTES);
        pair.flush();
        host.close();
        assertArrayEquals(sent, Emulator.bytes(1, region.address() + at, Pair.BYTES));
        return remote;
    }

    private static long openFiles() throws IOException
    {
        try (Stream<Path> files = Files.list(Path.of("/proc/self/fd")))
        {
            return files.count();
        }
    }
}
