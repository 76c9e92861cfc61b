/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.ucx;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.transload.spi.Access;
import dev.transload.spi.Availability;
import dev.transload.spi.Capabilities;
import dev.transload.spi.Channel;
import dev.transload.spi.MemoryKind;
import dev.transload.spi.MemoryRegion;
import dev.transload.spi.RemoteRegion;
import dev.transload.spi.RowList;
import dev.transload.spi.TransportUnavailableException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.agrona.UnsafeApi;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Memory of a device beside that of the host, on a stand-in whose memory UCX takes for the host's. */
@NeedsUcx
@Timeout(120)
class DeviceMemoryTest
{
    private static final int ROW = 64;
    private static final int ROWS = 4;
    private static final int ROUNDS = 12;

    @BeforeEach
    void forget()
    {
        StandInRuntime.reset();
    }

    private static Map<String, String> options(final String tls, final String... more)
    {
        final Map<String, String> options = new HashMap<>(Map.of("tls", tls.replace(';', ','), "device", "1"));
        for (int i = 0; i < more.length; i += 2)
        {
            options.put(more[i], more[i + 1]);
        }

        return options;
    }

    private static MemoryRegion allocate(final Rank rank, final Access access)
    {
        return rank.transport().allocate(MemoryKind.CUDA, 1, Rank.LENGTH, access);
    }

    private static long word(final MemoryRegion region, final long offset)
    {
        return UnsafeApi.getLongVolatile(null, region.address() + offset);
    }

    private static void word(final MemoryRegion region, final long offset, final long value)
    {
        UnsafeApi.putLongVolatile(null, region.address() + offset, value);
    }

    @Test
    void shouldPromiseMemoryThatAProbeCouldRegister()
    {
        final int before = StandInRuntime.allocations();
        try (Rank rank = new Rank(0, options("posix;self")))
        {
            final Capabilities capabilities = rank.transport().capabilities();
            assertEquals(Set.of(MemoryKind.HOST, MemoryKind.CUDA), capabilities.kinds());
            assertEquals(Set.of(MemoryKind.HOST, MemoryKind.CUDA), capabilities.remoteKinds());
            assertEquals("UCX moves that of device 1 (stand-in) itself by transports posix,self, seen as soon as " +
                "signalled: experimental", capabilities.notes().get(MemoryKind.CUDA));
        }

        assertEquals(before, StandInRuntime.allocations(), "memory of the probe");
    }

    @Test
    void shouldPromiseHostMemoryAloneWhereTheProbeFails()
    {
        try (Rank rank = new Rank(0, options("posix;self", "device-library", StandInRuntime.FULL)))
        {
            final Capabilities capabilities = rank.transport().capabilities();
            assertEquals(Set.of(MemoryKind.HOST), capabilities.kinds());
            assertEquals(Set.of(MemoryKind.HOST), capabilities.remoteKinds());
            assertEquals("transport ucx: 2097152 bytes were asked for on device 1 (stand-in), 0 are free",
                capabilities.notes().get(MemoryKind.CUDA));
            assertThrows(IllegalArgumentException.class, () -> allocate(rank, Access.LOCAL));
            rank.lane(rank).exchange(7);
        }
    }

    /** This UCX may be built with CUDA, but the addresses are none of a GPU: it must not be asked about them. */
    @Test
    void shouldRefuseInOneSentenceWhatUcxDoesNotKnow()
    {
        final int before = StandInRuntime.allocations();
        final UcxTransportProvider provider = new UcxTransportProvider();
        final Map<String, String> options = options("posix;self", "device-library", StandInRuntime.HARDWARE);
        final String refusal = assertThrows(TransportUnavailableException.class,
            () -> provider.open(Rank.config(0, options))).getMessage();
        assertTrue(refusal.startsWith("transload.ucx.device = 1 is not possible here: UCX 1."), refusal);
        assertTrue(refusal.endsWith(" moves no CUDA memory: it was built without CUDA, or UCX_TLS or " +
            "transload.ucx.tls leave out cuda_copy; without it (off) the engine stages rows of devices through host " +
            "memory"), refusal);
        assertEquals(refusal,
            ((Availability.Unavailable)provider.probe(Rank.config(0, options))).reason());
        assertEquals(before, StandInRuntime.allocations(), "nothing was allocated to be registered");
    }

    @ParameterizedTest
    @CsvSource({"posix;self, auto", "posix;self, never", "tcp, auto"})
    void shouldMoveBytesBetweenKinds(final String tls, final String direct)
    {
        final int before = StandInRuntime.allocations();
        try (Rank near = new Rank(0, options(tls, "direct", direct)); Rank far = new Rank(1, options(tls));
            MemoryRegion theirs = allocate(far, Access.REMOTE); MemoryRegion ours = allocate(near, Access.LOCAL))
        {
            final Rank.Lane lane = near.lane(near.worker(), far, theirs);
            final Operations operations = lane.operations();
            assertNull(lane.remote().window(), "the CPU has no business there");
            assertThrows(UnsupportedOperationException.class, () -> ours.hostView(0, 8));

            near.source().hostView(0, Long.BYTES).putLong(0, 71);
            operations.accept(() -> operations.channel().put(near.source(), 0, lane.remote(), 8, Long.BYTES));
            operations.flush();
            assertEquals(71, word(theirs, 8), "host to device");

            operations.accept(() -> operations.channel().load(lane.remote(), 8, ours, 16, Long.BYTES));
            operations.flush();
            assertEquals(71, word(ours, 16), "device to device");

            final RowList rows = near.transport().allocateRows(ROWS).rowLength(ROW);
            for (int row = 0; row < ROWS; row++)
            {
                rows.set(row, (long)row * ROW, (long)(ROWS - 1 - row) * ROW);
                word(ours, (long)row * ROW, 80 + row);
            }

            final long[] sent = new long[1];
            while (sent[0] < ROWS)
            {
                final long position = operations.channel().position();
                sent[0] += operations.accept(() -> operations.channel().putRows(
                    ours, lane.remote(), rows, (int)sent[0], ROWS - (int)sent[0])) - position;
            }

            operations.flush();
            for (int row = 0; row < ROWS; row++)
            {
                assertEquals(80 + row, word(theirs, (long)(ROWS - 1 - row) * ROW), "row " + row);
            }

            final Rank.Lane home = near.lane(near);
            home.operations().accept(() ->
                home.operations().channel().put(ours, 16, home.remote(), 24, Long.BYTES));
            home.operations().flush();
            assertEquals(71, near.target().hostView(24, Long.BYTES).getLong(0), "device to the own host memory");
        }

        assertEquals(before, StandInRuntime.allocations(), "all memory is given back");
    }

    /** Rows go by UCX, which needs the peer for that; the word that tells of them is stored by this thread. */
    @Test
    void shouldStoreNothingDirectlyBeforeWhatAFenceFollows()
    {
        final Map<String, String> options = options("posix;self");
        try (Rank near = new Rank(0, options); Rank far = new Rank(1, options);
            MemoryRegion theirs = allocate(far, Access.REMOTE); MemoryRegion ours = allocate(near, Access.LOCAL))
        {
            final Rank.Lane rows = near.lane(near.worker(), far, theirs);
            final Operations operations = rows.operations();
            final Channel channel = operations.channel();
            final RemoteRegion words = near.worker().importRegion(1, far.target().descriptor());
            int held = 0;
            for (int round = 1; round <= ROUNDS; round++)
            {
                final long number = round;
                word(ours, Rank.LENGTH - Long.BYTES, number);
                near.source().hostView(0, Long.BYTES).putLong(0, number);
                operations.accept(() -> channel.put(ours, 0, rows.remote(), 0, Rank.LENGTH));
                operations.accept(channel::fence);
                held += Channel.BACK_PRESSURED == channel.put(near.source(), 0, words, 0, Long.BYTES) ? 1 : 0;
                operations.accept(() -> channel.put(near.source(), 0, words, 0, Long.BYTES));
                assertEquals(number, far.target().hostView(0, Long.BYTES).getLong(0), "stored directly");
                assertEquals(number, word(theirs, Rank.LENGTH - Long.BYTES), "rows of round " + round);
            }

            assertTrue(held > 0, "the fence had nothing to wait for");
        }
    }

    @Test
    void shouldRegisterMemoryOfItsDeviceOnly()
    {
        final Map<String, String> options = options("posix;self");
        try (Rank near = new Rank(0, options); Rank far = new Rank(1, options);
            MemoryRegion whole = allocate(far, Access.LOCAL))
        {
            assertThrows(IllegalArgumentException.class, () -> far.transport().register(
                MemoryKind.CUDA, 1, far.source().address(), Rank.LENGTH, Access.REMOTE));
            assertThrows(IllegalArgumentException.class, () -> far.transport().register(
                MemoryKind.CUDA, 0, whole.address(), ROW, Access.REMOTE));
            try (MemoryRegion part = far.transport().register(
                MemoryKind.CUDA, 1, whole.address() + ROW, ROW, Access.REMOTE))
            {
                final Rank.Lane lane = near.lane(near.worker(), far, part);
                near.source().hostView(0, Long.BYTES).putLong(0, 91);
                lane.operations().accept(() ->
                    lane.operations().channel().put(near.source(), 0, lane.remote(), 0, Long.BYTES));
                lane.operations().flush();
                assertEquals(91, word(whole, ROW));
            }

            assertEquals(91, word(whole, ROW), "the caller's memory stays the caller's");
        }
    }

    /** Those of callers, of the transport, and of whoever closes it: UCX copies by the device that it finds there. */
    @ParameterizedTest
    @ValueSource(strings = {"posix;self", "tcp"})
    void shouldMakeTheDeviceCurrentInEachThreadThatDrivesUcx(final String tls) throws InterruptedException
    {
        final Rank near = new Rank(0, options(tls));
        final Rank far = new Rank(1, options(tls));
        StandInRuntime.reset();
        on("driver", () -> near.lane(far).exchange(5));
        Await.until(() -> StandInRuntime.boundThreads().containsAll(
            List.of("driver", "transload-ucx-0", "transload-ucx-1")));

        StandInRuntime.reset();
        on("closer", () ->
        {
            near.close();
            far.close();
        });
        assertTrue(StandInRuntime.boundThreads().contains("closer"), StandInRuntime.boundThreads()::toString);
    }

    @ParameterizedTest
    @CsvSource({"'', posix;self, 0", "flushed, posix;self, 2", "unknown, tcp, 0"})
    void shouldAcquireMemoryOfTheDeviceAsTheDeviceNeedsIt(final String library, final String tls, final int flushes)
    {
        try (Rank rank = new Rank(0, options(tls, "device-library", library));
            MemoryRegion region = allocate(rank, Access.REMOTE))
        {
            rank.worker().acquire(rank.target());
            assertEquals(0, StandInRuntime.flushes(), "host memory is seen as it is");
            rank.worker().acquire(region);
            rank.worker().acquire(region);
            assertEquals(flushes, StandInRuntime.flushes());
            assertEquals("unknown".equals(library), ((UcxWorker)rank.worker()).readsBack());
        }
    }

    private static void on(final String name, final Runnable body) throws InterruptedException
    {
        final Throwable[] failure = new Throwable[1];
        final Thread thread = new Thread(body, name);
        thread.setUncaughtExceptionHandler((failed, cause) -> failure[0] = cause);
        thread.start();
        thread.join();
        assertNull(failure[0]);
        assertFalse(thread.isAlive());
    }
}
