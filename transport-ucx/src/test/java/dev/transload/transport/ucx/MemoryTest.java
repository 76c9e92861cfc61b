/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.ucx;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.transload.spi.Access;
import dev.transload.spi.MemoryKind;
import dev.transload.spi.MemoryRegion;
import dev.transload.spi.TransportUnavailableException;
import dev.transload.transport.ucx.internal.ucp.ChildJvm;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.agrona.BufferUtil;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@NeedsUcx
@Timeout(180)
class MemoryTest
{
    @ParameterizedTest
    @CsvSource({"posix;self, auto", "posix;self, never", "tcp, auto"})
    void shouldReachMemoryThatItsOwnerRegistered(final String tls, final String direct)
    {
        final Map<String, String> options = Map.of("tls", tls.replace(';', ','), "direct", direct);
        final ByteBuffer bytes =
            BufferUtil.allocateDirectAligned(Rank.LENGTH, 64).order(ByteOrder.nativeOrder());
        try (Rank near = new Rank(0, options); Rank far = new Rank(1, options);
            MemoryRegion theirs = far.transport().register(
                MemoryKind.HOST, 0, BufferUtil.address(bytes), Rank.LENGTH, Access.REMOTE))
        {
            final Rank.Lane lane = near.lane(near.worker(), far, theirs);
            final Operations operations = lane.operations();
            near.source().hostView(0, Long.BYTES).putLong(0, 77);
            operations.accept(() -> operations.channel().put(near.source(), 0, lane.remote(), 128, Long.BYTES));
            operations.accept(() -> operations.channel().atomicAdd(lane.remote(), 256, -3));
            operations.accept(() -> operations.channel().atomicAdd(lane.remote(), 256, 5));
            operations.flush();
            assertEquals(77, bytes.getLong(128));
            assertEquals(2, bytes.getLong(256));

            bytes.putLong(512, 88);
            operations.accept(() -> operations.channel().load(lane.remote(), 512, near.source(), 8, Long.BYTES));
            operations.flush();
            assertEquals(88, near.source().hostView(8, Long.BYTES).getLong(0));
        }

        assertEquals(77, bytes.getLong(128), "the caller's memory stays the caller's");
    }

    @ParameterizedTest
    @CsvSource({"posix;self, auto", "posix;self, never", "tcp, auto"})
    void shouldSendFromMemoryThatItsOwnerRegistered(final String tls, final String direct)
    {
        final Map<String, String> options = Map.of("tls", tls.replace(';', ','), "direct", direct);
        final ByteBuffer bytes =
            BufferUtil.allocateDirectAligned(Rank.LENGTH, 64).order(ByteOrder.nativeOrder());
        bytes.putLong(Rank.LENGTH - 8, 99);
        try (Rank near = new Rank(0, options); Rank far = new Rank(1, options);
            MemoryRegion ours = near.transport().register(
                MemoryKind.HOST, 0, BufferUtil.address(bytes), Rank.LENGTH, Access.LOCAL))
        {
            final Rank.Lane lane = near.lane(far);
            final Operations operations = lane.operations();
            operations.accept(() -> operations.channel().put(ours, 0, lane.remote(), 0, Rank.LENGTH));
            operations.flush();
            assertEquals(99, far.target().hostView(Rank.LENGTH - 8, 8).getLong(0));
            assertThrows(IllegalStateException.class, ours::descriptor);
        }
    }

    @ParameterizedTest
    @CsvSource({"posix;self, REMOTE", "tcp, REMOTE", "tcp, LOCAL"})
    void shouldRefuseMemoryThatTheMachineDoesNotHave(final String tls, final Access access)
    {
        try (Rank rank = new Rank(0, Map.of("tls", tls.replace(';', ','))))
        {
            final String message = assertThrows(TransportUnavailableException.class,
                () -> rank.transport().allocate(MemoryKind.HOST, 0, 1L << 40, access)).getMessage();
            assertTrue(message.startsWith("transport ucx: 1099511627776 bytes of memory were asked for, "), message);
            assertTrue(message.endsWith(" are available on this machine: ask for smaller regions or run fewer ranks"),
                message);
            rank.lane(rank).exchange(1);
        }
    }

    /** Four workers of UCX: two of the caller, one for peers' operations, one for control messages. */
    @Test
    void shouldTakeLittleSharedMemoryForItself(@TempDir final Path directory)
    {
        final List<String> lines = new ChildJvm(directory).run(FootprintMain.class);
        assertTrue(Long.parseLong(lines.get(0)) > 0, "it is measured");
        assertTrue(Long.parseLong(lines.get(0)) < 3 << 20, lines::toString);

        final List<String> asked =
            new ChildJvm(directory).variable("UCX_POSIX_RX_BUFS_GROW", "512").run(FootprintMain.class);
        assertTrue(Long.parseLong(asked.get(0)) > Long.parseLong(lines.get(0)), "what the user sets is kept");
    }

    /** UCX warns on standard output, which belongs to the application. */
    @ParameterizedTest
    @CsvSource({"posix;self", "tcp", "''"})
    void shouldPrintNothingOnStandardOutput(final String tls, @TempDir final Path directory)
    {
        assertEquals(List.of(), new ChildJvm(directory).run(QuietMain.class, tls.replace(';', ',')));

        final ChildJvm talkative = new ChildJvm(directory).variable("UCX_LOG_LEVEL", "info");
        assertEquals(List.of(), talkative.run(QuietMain.class, tls.replace(';', ',')));
        assertTrue(talkative.errors().contains("UCX "), "what the user wants to know is on standard error");
    }
}
