/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.nvlink;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.transload.kernels.RowKernels;
import dev.transload.spi.Channel;
import dev.transload.spi.TransportConfig;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Streams belong to channels, not to peers. */
class StreamPoolTest
{
    private static StreamPool pool(final String... keysAndValues)
    {
        return new StreamPool(
            Emulator.device(0), NvlinkOptions.of(TransportConfig.builder().options(options(keysAndValues)).build()));
    }

    private static Map<String, String> options(final String... keysAndValues)
    {
        final Map<String, String> options = new HashMap<>(Emulator.options());
        for (int i = 0; i < keysAndValues.length; i += 2)
        {
            options.put(keysAndValues[i], keysAndValues[i + 1]);
        }

        return options;
    }

    private static List<StreamLane> take(final StreamPool pool, final int worker, final int channels)
    {
        final List<StreamLane> lanes = new ArrayList<>();
        for (int i = 0; i < channels; i++)
        {
            lanes.add(pool.take(worker));
        }

        return lanes;
    }

    private static Set<StreamLane> distinct(final List<StreamLane> lanes)
    {
        final Set<StreamLane> distinct = Collections.newSetFromMap(new IdentityHashMap<>());
        distinct.addAll(lanes);
        return distinct;
    }

    @Test
    void shouldGiveEachChannelOfFourThreadsAStreamOfItsOwn()
    {
        final StreamPool pool = pool();
        final List<StreamLane> all = new ArrayList<>();
        for (int worker = 0; worker < 4; worker++)
        {
            all.addAll(take(pool, worker, 4));
        }

        assertEquals(16, distinct(all).size());
        pool.close();
    }

    @Test
    void shouldShareAmongTheChannelsOfAThreadOnceAllAreInUse()
    {
        final StreamPool pool = pool("streams", "4");
        final List<StreamLane> first = take(pool, 0, 2);
        final List<StreamLane> second = take(pool, 1, 2);
        assertEquals(4, distinct(List.of(first.get(0), first.get(1), second.get(0), second.get(1))).size());
        assertEquals(distinct(first), distinct(take(pool, 0, 2)));
        assertEquals(distinct(second), distinct(take(pool, 1, 2)));
        pool.close();
    }

    /** A rank that is connected anew takes no further stream. */
    @Test
    void shouldGiveTheStreamOfAClosedChannelToTheNextOne()
    {
        final StreamPool pool = pool();
        final List<StreamLane> lanes = take(pool, 0, 3);
        pool.giveBack(lanes.get(1));
        assertSame(lanes.get(1), pool.take(0));
        assertFalse(lanes.contains(pool.take(0)));
        pool.close();
    }

    @Test
    void shouldDeliverOverAChannelWhileAnotherOneToTheSamePeerIsHeldUp()
    {
        final Map<String, String> options = options();
        try (Pair pair = new Pair(options); EmulatedDevice device = new EmulatedDevice(options))
        {
            final Channel other = pair.another();
            final RowKernels kernels = device.kernels();
            assertNotSame(((NvlinkChannel)pair.channel).lane(), ((NvlinkChannel)other).lane());
            final BusyKernels busy = new BusyKernels(device);
            busy.during((held) ->
            {
                pair.await(() -> 0 <= pair.channel.startAfter(kernels, held));
                final long behind = pair.channel.put(pair.source, 0, pair.remote, 0, Pair.BYTES);
                final long free = other.put(pair.source, 0, pair.remote, 0, Pair.BYTES);
                assertTrue(behind > 0 && free > 0, behind + ", " + free);
                pair.await(() -> other.deliveredPosition() >= free);
                final boolean isBehindDone = pair.channel.deliveredPosition() >= behind;
                final boolean isBusy = busy.isBusy(held);
                assertFalse(isBehindDone && isBusy, "it did not wait for the kernels");
                pair.await(() -> pair.channel.deliveredPosition() >= behind);
                return isBusy;
            });
            kernels.close();
        }
    }
}
