/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.tck;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.transload.spi.Access;
import dev.transload.spi.MemoryKind;
import dev.transload.spi.MemoryRegion;
import dev.transload.spi.RemoteRegion;
import dev.transload.spi.Transport;
import dev.transload.spi.UnsupportedCapabilityException;
import dev.transload.spi.Worker;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import org.agrona.BufferUtil;
import org.junit.jupiter.api.Assumptions;

/** Rules MEM: regions, views and imports. */
interface MemoryRules extends ConformanceCase
{
    /** Alignment of allocated memory, in bytes. */
    int ALIGNMENT = 64;

    /** Most bytes of a descriptor. */
    int DESCRIPTOR_LIMIT = 1024;

    /** How often a test allocates and closes what a pool may hand out again. */
    int REUSES = 3;

    /** How much of it is open at a time, so that it does not matter in which order a pool hands it out. */
    int REUSED = 2;

    @Rule("MEM-1")
    default void mem1AllocatedMemoryIsZeroedAndAligned()
    {
        forKinds(1, (world, kind) ->
        {
            final int length = world.aligned(1000);
            final MemoryRegion region = world.allocate(0, kind, length, Access.REMOTE);
            assertEquals(kind, region.kind());
            assertEquals(length, region.length());
            assertEquals(Access.REMOTE, region.access());
            assertEquals(world.fixture().device(kind, 0), region.device());
            assertEquals(0, region.address() % ALIGNMENT, kind + " memory is not aligned to " + ALIGNMENT);
            assertArrayEquals(new byte[length], world.read(0, region, 0, length), kind + " memory is not zeroed");
            for (final Access access : Access.values())
            {
                assertReusedMemoryIsZeroed(world, kind, access, length);
            }
        });
    }

    @Rule("MEM-2")
    default void mem2OnlyRemoteRegionsHaveADescriptor()
    {
        forKinds(1, (world, kind) ->
        {
            final ByteBuffer descriptor = world.allocate(0, kind, ALIGNMENT, Access.REMOTE).descriptor();
            assertTrue(descriptor.isReadOnly(), "the descriptor can be written to");
            assertTrue(descriptor.hasRemaining() && descriptor.remaining() <= DESCRIPTOR_LIMIT,
                "the descriptor has " + descriptor.remaining() + " bytes");
            final MemoryRegion local = world.allocate(0, kind, ALIGNMENT, Access.LOCAL);
            assertThrows(IllegalStateException.class, local::descriptor);
        });
    }

    @Rule("MEM-3")
    default void mem3OnlyHostMemoryCanBeLookedInto()
    {
        forKinds(1, (world, kind) ->
        {
            final MemoryRegion region = world.allocate(0, kind, 2 * ALIGNMENT, Access.LOCAL);
            if (!kind.isHost())
            {
                assertThrows(UnsupportedOperationException.class, () -> region.hostView(0, 1));
                return;
            }

            final ByteBuffer view = region.hostView(ALIGNMENT, Long.BYTES);
            assertTrue(view.isDirect());
            assertEquals(ByteOrder.nativeOrder(), view.order());
            assertEquals(Long.BYTES, view.remaining());
            view.putLong(0, 42);
            assertEquals(42, region.hostView(0, 2 * ALIGNMENT).getLong(ALIGNMENT), "views do not alias the memory");
            assertThrows(IndexOutOfBoundsException.class, () -> region.hostView(ALIGNMENT, 2 * ALIGNMENT));
        });
    }

    @Rule("MEM-4")
    default void mem4MemoryOfTheCallerCanBeSourceAndTarget()
    {
        in(2, (world) ->
        {
            final Lane lane = world.lane(0, 1, MemoryKind.HOST);
            final ByteBuffer own = BufferUtil.allocateDirectAligned(Lane.BYTES, ALIGNMENT);
            final byte[] sent = Lane.pattern(Lane.BYTES, 4);
            own.put(0, sent);
            final MemoryRegion region = world.transport(0).register(
                MemoryKind.HOST, 0, BufferUtil.address(own), Lane.BYTES, Access.LOCAL);
            assertEquals(BufferUtil.address(own), region.address());
            world.submit("put from registered memory",
                () -> lane.channel.put(region, 0, lane.remote, 0, Lane.BYTES));
            lane.flush();
            assertArrayEquals(sent, lane.acquired(Lane.BYTES));
            own.put(0, new byte[Lane.BYTES]);
            world.submit("load into registered memory",
                () -> lane.channel.load(lane.remote, 0, region, 0, Lane.BYTES));
            lane.flush();
            final byte[] back = new byte[Lane.BYTES];
            own.get(0, back);
            assertArrayEquals(sent, back);
        });
    }

    @Rule("MEM-5")
    default void mem5MemoryOfTheCallerIsRemoteOnlyByCapability()
    {
        forKinds(2, (world, kind) ->
        {
            // Rank 0 is the target: the memory of the test is its own, whatever process the others are. That of a
            // device begins within an allocation, as a tensor of a framework does.
            final Transport target = world.transport(0);
            final ByteBuffer host = BufferUtil.allocateDirectAligned(Lane.BYTES, ALIGNMENT);
            final long address = kind.isHost() ? BufferUtil.address(host) :
                world.allocate(0, kind, Lane.BYTES + ALIGNMENT, Access.LOCAL).address() + ALIGNMENT;
            final int device = world.fixture().device(kind, 0);
            if (!target.capabilities().remoteKinds().contains(kind))
            {
                assertThrows(UnsupportedCapabilityException.class,
                    () -> target.register(kind, device, address, Lane.BYTES, Access.REMOTE));
                return;
            }

            final MemoryRegion region = target.register(kind, device, address, Lane.BYTES, Access.REMOTE);
            final RemoteRegion remote = world.worker(1).importRegion(0, region.descriptor());
            final Lane lane = world.lane(1, 0, MemoryKind.HOST);
            final byte[] sent = Lane.pattern(Lane.BYTES, 5);
            lane.fill(sent);
            world.submit("put to registered memory",
                () -> lane.channel.put(lane.source, 0, remote, 0, Lane.BYTES));
            lane.flush();
            world.worker(0).acquire(region);
            assertArrayEquals(sent, world.read(0, region, 0, Lane.BYTES), kind + " memory of the caller");
        });
    }

    @Rule("MEM-6")
    default void mem6LengthsAndKindsThatAreNotOfferedAreRefused()
    {
        in(1, (world) ->
        {
            final Transport transport = world.transport(0);
            for (final long length : new long[] {0, -1, Long.MAX_VALUE})
            {
                assertThrows(IllegalArgumentException.class,
                    () -> transport.allocate(MemoryKind.HOST, 0, length, Access.LOCAL), "length " + length);
            }

            final MemoryKind foreign = new MemoryKind("NO_SUCH_KIND");
            assertThrows(IllegalArgumentException.class,
                () -> transport.allocate(foreign, 0, ALIGNMENT, Access.LOCAL), "kind " + foreign);
        });
    }

    @Rule("MEM-7")
    default void mem7AnImportTellsWhoseMemoryItIs()
    {
        forKinds(2, (world, kind) ->
        {
            final Worker worker = world.worker(0);
            final MemoryRegion region = world.allocate(1, kind, ALIGNMENT, Access.REMOTE);
            final RemoteRegion remote = worker.importRegion(1, region.descriptor());
            assertEquals(1, remote.peer());
            assertEquals(ALIGNMENT, remote.length());
            assertThrows(IllegalArgumentException.class, () -> worker.importRegion(0, region.descriptor()),
                "imported as memory of another rank");
            assertThrows(IllegalArgumentException.class, () -> worker.importRegion(1, ByteBuffer.allocate(7)),
                "imported from bytes that are no descriptor");
        });
    }

    @Rule("MEM-8")
    default void mem8KindsMayDifferBetweenSourceAndTarget()
    {
        in(2, (world) ->
        {
            Assumptions.assumeTrue(world.kinds().size() > 1, "the transport has one kind of memory only");
            for (final MemoryKind sourceKind : world.kinds())
            {
                for (final MemoryKind targetKind : world.kinds())
                {
                    assertPuts(new Lane(world, 0, 1, sourceKind, targetKind));
                    // To the own rank too: engines stage rows of a device through host memory that way.
                    assertPuts(new Lane(world, 0, 0, sourceKind, targetKind));
                }
            }
        });
    }

    private static void assertReusedMemoryIsZeroed(
        final World world, final MemoryKind kind, final Access access, final int length)
    {
        // The pattern has no zero.
        final byte[] used = Lane.pattern(length, 9);
        for (int round = 0; round < REUSES; round++)
        {
            final List<MemoryRegion> regions = new ArrayList<>();
            for (int i = 0; i < REUSED; i++)
            {
                final MemoryRegion region = world.allocate(0, kind, length, access);
                assertArrayEquals(new byte[length], world.read(0, region, 0, length), access + " " + kind +
                    " memory is not zeroed after " + round * REUSED + " regions of its size were used and closed");
                regions.add(region);
            }

            regions.forEach((region) -> world.write(0, region, 0, used));
            regions.forEach(MemoryRegion::close);
        }
    }

    private static void assertPuts(final Lane lane)
    {
        final byte[] sent = Lane.pattern(Lane.BYTES, 8);
        lane.fill(sent);
        lane.put(0, 0, Lane.BYTES);
        lane.fence();
        lane.add(0, 1);
        lane.awaitSignal(0, 1);
        assertArrayEquals(sent, lane.acquired(Lane.BYTES), lane.toString());
        lane.channel.close();
    }
}
