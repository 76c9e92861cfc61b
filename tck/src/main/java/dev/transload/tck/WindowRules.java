/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.tck;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.transload.kernels.RowKernels;
import dev.transload.spi.Access;
import dev.transload.spi.Capability;
import dev.transload.spi.MemoryKind;
import dev.transload.spi.MemoryRegion;
import dev.transload.spi.RemoteRegion;
import dev.transload.spi.RowList;
import java.util.Arrays;
import java.util.function.Consumer;

/** Rules WIN: memory of peers in place. */
interface WindowRules extends ConformanceCase
{
    /** Rounds of a test that looks for what is seen too late. */
    int WINDOW_ROUNDS = 20;

    /** Where registered memory begins in what it is a part of. */
    int PART_OFFSET = 64;

    @Rule("WIN-1")
    default void win1ImportsHaveWindowsByCapability()
    {
        forKinds(2, (world, kind) ->
        {
            for (int owner = 0; owner < 2; owner++)
            {
                final MemoryRegion region = world.allocate(owner, kind, Lane.BYTES, Access.REMOTE);
                final RemoteRegion remote = world.worker(0).importRegion(owner, region.descriptor());
                final MemoryRegion window = remote.window();
                if (!world.transport(0).capabilities().has(Capability.WINDOWS))
                {
                    assertNull(window, kind + " memory of rank " + owner + " has a window");
                    continue;
                }

                assertNotNull(kind.isHost() ? window : region, kind + " memory of rank " + owner + " has no window");
                if (null != window)
                {
                    assertEquals(kind, window.kind());
                    assertEquals(region.device(), window.device());
                    assertEquals(Access.LOCAL, window.access());
                    assertEquals(Lane.BYTES, window.length());
                    assertEquals(window.address(), remote.window().address(), "asked again");
                    assertThrows(IllegalStateException.class, window::descriptor);
                }
            }
        });
    }

    @Rule("WIN-2")
    default void win2WindowsHaveTheOffsetsOfTheRegion()
    {
        inWindows((world, kind) ->
        {
            // Rank 0 is the owner: a process of its own registers none of our memory.
            final MemoryRegion whole = world.allocate(0, kind, Lane.BYTES, Access.REMOTE);
            assertShows(world, whole, whole, 0);
            if (world.transport(0).capabilities().remoteKinds().contains(kind))
            {
                assertShows(world, whole, world.transport(0).register(kind, whole.device(),
                    whole.address() + PART_OFFSET, Lane.BYTES - 2 * PART_OFFSET, Access.REMOTE), PART_OFFSET);
            }
        });
    }

    @Rule("WIN-3")
    default void win3WhatASignalPublishedIsSeenThroughTheWindow()
    {
        inWindows((world, kind) ->
        {
            final Lane lane = world.lane(0, 1, kind);
            final Lane back = world.lane(1, 0, MemoryKind.HOST);
            withWindow(lane, (window) ->
            {
                for (int round = 1; round <= WINDOW_ROUNDS; round++)
                {
                    final byte[] sent = Lane.pattern(Lane.BYTES, round);
                    if (0 == (round & 1))
                    {
                        world.write(1, lane.target, 0, sent);
                    }
                    else
                    {
                        lane.fill(sent);
                        lane.put(0, 0, Lane.BYTES);
                        lane.fence();
                        lane.add(0, 1);
                        lane.awaitSignal(0, (round + 1) / 2);
                    }

                    back.fence();
                    back.add(0, 1);
                    back.awaitSignal(0, round);
                    world.worker(0).acquire(window);
                    assertArrayEquals(sent, world.read(0, window, 0, Lane.BYTES), "round " + round + " of " + lane);
                }
            });
        });
    }

    @Rule("WIN-4")
    default void win4WhatIsStoredThroughAWindowIsPublishedByAFence()
    {
        inWindows((world, kind) ->
        {
            for (int to = 0; to < 2; to++)
            {
                final Lane lane = world.lane(0, to, kind);
                final RowKernels kernels = world.kernels(kind, 0);
                withWindow(lane, (window) ->
                {
                    for (int round = 1; round <= 2 * WINDOW_ROUNDS; round++)
                    {
                        final byte[] sent = Lane.pattern(Lane.BYTES, round);
                        if (null == kernels || 0 == (round & 1))
                        {
                            world.write(0, window, 0, sent);
                        }
                        else
                        {
                            lane.fill(sent);
                            copyInto(window, lane, kernels);
                        }

                        lane.publish(0, round > WINDOW_ROUNDS);
                        lane.awaitSignal(0, round);
                        assertArrayEquals(sent, lane.acquired(Lane.BYTES), "round " + round + " of " + lane);
                    }
                });
            }
        });
    }

    @Rule("WIN-5")
    default void win5AWindowIsClosedWithItsImportOnly()
    {
        inWindows((world, kind) ->
        {
            final Lane lane = world.lane(0, 1, kind);
            final Lane other = world.lane(0, 1, kind);
            withWindow(lane, (window) ->
            {
                lane.channel.close();
                window.close();
                final byte[] sent = Lane.pattern(Lane.BYTES, 5);
                world.write(0, window, 0, sent);
                world.worker(0).acquire(lane.remote.window());
                assertArrayEquals(sent, world.read(0, lane.remote.window(), 0, Lane.BYTES));
                lane.remote.close();
                assertThrows(IllegalStateException.class, () ->
                    other.channel.put(window, 0, other.remote, 0, Lane.BYTES), "used after its import was closed");
                if (kind.isHost())
                {
                    assertThrows(IllegalStateException.class, () -> world.read(0, window, 0, Lane.BYTES),
                        "looked into after its import was closed");
                }
            });
        });
    }

    @Rule("WIN-6")
    default void win6AWindowIsSourceAndTargetOfOperations()
    {
        inWindows((world, kind) ->
        {
            final Lane lane = world.lane(0, 1, kind);
            final Lane other = world.lane(0, 1, kind);
            withWindow(lane, (window) ->
            {
                final byte[] sent = Lane.pattern(Lane.BYTES, 6);
                lane.fill(sent);
                lane.put(0, 0, Lane.BYTES);
                lane.flush();
                world.worker(0).acquire(window);
                world.submit("put from a window",
                    () -> other.channel.put(window, 0, other.remote, 0, Lane.BYTES));
                other.flush();
                assertArrayEquals(sent, other.acquired(Lane.BYTES), "put from a window");
                final int half = Lane.BYTES / 2;
                world.submit("load into a window",
                    () -> other.channel.load(other.remote, 0, window, half, half));
                other.flush();
                final byte[] halves = Arrays.copyOf(sent, Lane.BYTES);
                System.arraycopy(sent, 0, halves, half, half);
                assertArrayEquals(halves, lane.acquired(Lane.BYTES), "load into a window");
            });
        });
    }

    private void inWindows(final KindTest test)
    {
        forKinds(2, (world, kind) ->
        {
            requires(world, Capability.WINDOWS);
            test.run(world, kind);
        });
    }

    /** Kinds other than HOST need not have one. */
    private static void withWindow(final Lane lane, final Consumer<MemoryRegion> test)
    {
        final MemoryRegion window = lane.remote.window();
        assertNotNull(lane.target.kind().isHost() ? window : lane.target, lane + " has no window");
        if (null != window)
        {
            test.accept(window);
        }
    }

    /** Windows of both ranks to a region of rank 0 show the bytes that it begins with, where they have one. */
    private static void assertShows(
        final World world, final MemoryRegion whole, final MemoryRegion region, final int offset)
    {
        final byte[] sent = Lane.pattern(Lane.BYTES, 2 + offset);
        world.write(0, whole, 0, sent);
        for (int importer = 0; importer < 2; importer++)
        {
            final Lane lane = world.lane(0, importer, MemoryKind.HOST);
            final MemoryRegion window = world.worker(importer).importRegion(0, region.descriptor()).window();
            assertNotNull(0 == offset || !world.transport(0).capabilities().has(Capability.REGISTERED_WINDOWS) ?
                region : window, "memory that rank 0 registered has no window");
            lane.fence();
            lane.add(0, 1);
            lane.awaitSignal(0, 1);
            if (null != window)
            {
                final int length = (int)region.length();
                assertEquals(length, window.length());
                world.worker(importer).acquire(window);
                assertArrayEquals(Arrays.copyOfRange(sent, offset, offset + length),
                    world.read(importer, window, 0, length), "window of rank " + importer + " at offset " + offset);
            }
        }
    }

    private static void copyInto(final MemoryRegion window, final Lane lane, final RowKernels kernels)
    {
        final RowList rows = kernels.allocateRows(1).rowLength(Lane.BYTES);
        rows.set(0, 0, 0);
        final long position = lane.world.submit("copy into a window",
            () -> kernels.copyRows(lane.source, window, rows, 0, 1));
        lane.world.submit("startAfter", () -> lane.channel.startAfter(kernels, position));
    }
}
