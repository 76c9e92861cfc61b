/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.tck;

import dev.transload.spi.MemoryKind;
import dev.transload.spi.Transport;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/**
 * Devices to check. There are at least two ranks, and each rank has one device.
 *
 * @param devices for each rank, the ordinal of its device.
 * @param options transport options that are equal for all ranks.
 * @param near    creates a fixture with all ranks in the process that runs the checks.
 * @param spread  creates a fixture with each rank except rank 0 in a separate process that can be killed.
 * @param rounds  number of rounds of the checks {@code data-then-flag} and {@code data-then-kernel}.
 */
public record DeviceSetup(
    List<Integer> devices,
    Map<String, String> options,
    Supplier<ConformanceFixture> near,
    Supplier<ConformanceFixture> spread,
    int rounds)
{
    /** Creates a setup with copies of the lists and maps. */
    public DeviceSetup
    {
        devices = List.copyOf(devices);
        options = Map.copyOf(options);
        if (devices.size() < 2 || rounds < 1)
        {
            throw new IllegalArgumentException("devices=" + devices + ", rounds=" + rounds +
                ": a rank needs a peer, on the same device if there is one only; and at least one round");
        }
    }

    World open()
    {
        return new World(near.get(), devices.size());
    }

    World openSpread()
    {
        return new World(spread.get(), devices.size());
    }

    /** The kind of memory that the devices have, HOST where they have none. */
    static MemoryKind kind(final World world)
    {
        final List<MemoryKind> kinds = world.kinds();
        return kinds.get(kinds.size() - 1);
    }

    /** Whether channels go from one rank to another. */
    static boolean isReachable(final World world, final int from, final int to)
    {
        final Transport transport = world.transport(from);
        return transport.canReach(to, world.transport(to).peerInfo()).reachable();
    }
}
