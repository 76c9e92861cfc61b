/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.nvlink;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.transload.kernels.RowKernels;
import dev.transload.spi.RemoteSignals;
import dev.transload.spi.SignalRegion;

import java.util.Map;
import org.junit.jupiter.api.Test;

/** The device goes on with what is given behind a signal, which shows when it is done with what was before. */
class SignalTest
{
    private static final int CHUNKS = 8;
    private static final int CHUNK = Pair.BYTES / CHUNKS;

    @Test
    void shouldTakeChunksBehindSignalsThatAreNotAddedYet()
    {
        final Map<String, String> options = Emulator.options();
        try (Pair pair = new Pair(options); EmulatedDevice device = new EmulatedDevice(options))
        {
            final SignalRegion signals = pair.far.allocateSignals(2, 1);
            final RemoteSignals remote = pair.worker.importSignals(1, signals.descriptor());
            final RowKernels kernels = device.kernels();
            final BusyKernels busy = new BusyKernels(device);
            final int[] rounds = new int[1];
            busy.during((held) ->
            {
                final int before = rounds[0]++;
                // The channel's stream is behind the kernels from here on.
                pair.await(() -> 0 <= pair.channel.startAfter(kernels, held));
                for (int i = 0; i < CHUNKS; i++)
                {
                    final long offset = (long)i * CHUNK;
                    assertTrue(pair.channel.put(pair.source, offset, pair.remote, offset, CHUNK) > 0, "chunk " + i);
                    assertTrue(pair.channel.signal(remote, 0, 1) > 0, "signal " + i);
                }

                // An add that nothing orders; a second signal keeps the order of both.
                assertTrue(pair.channel.atomicAdd(remote, 1, 1) > 0);
                assertTrue(pair.channel.signal(remote, 1, 1) > 0);
                pair.worker.progress();
                final boolean isEarly = signals.getAcquire(0) > before * CHUNKS;
                final boolean isBusy = busy.isBusy(held);
                assertFalse(isEarly && isBusy, "a signal overtook the chunk before it");
                pair.await(() -> signals.getAcquire(1) == 2 * (before + 1));
                assertEquals((before + 1) * CHUNKS, signals.getAcquire(0));
                return isBusy;
            });
            kernels.close();
        }
    }

    @Test
    void shouldHoldBackWhatIsBehindAFenceBehindASignal()
    {
        final Map<String, String> options = Emulator.options();
        try (Pair pair = new Pair(options); EmulatedDevice device = new EmulatedDevice(options))
        {
            final SignalRegion signals = pair.far.allocateSignals(1, 1);
            final RemoteSignals remote = pair.worker.importSignals(1, signals.descriptor());
            final RowKernels kernels = device.kernels();
            final BusyKernels busy = new BusyKernels(device);
            final int[] rounds = new int[1];
            busy.during((held) ->
            {
                final int before = rounds[0]++;
                pair.await(() -> 0 <= pair.channel.startAfter(kernels, held));
                assertTrue(pair.channel.put(pair.source, 0, pair.remote, 0, CHUNK) > 0);
                assertTrue(pair.channel.signal(remote, 0, 1) > 0);
                assertTrue(pair.channel.fence() > 0);
                final long early = pair.channel.put(pair.source, 0, pair.remote, CHUNK, CHUNK);
                final boolean isBusy = busy.isBusy(held);
                assertFalse(early > 0 && isBusy, "a put overtook the signal before the fence");
                pair.await(() -> early > 0 || pair.channel.put(pair.source, 0, pair.remote, CHUNK, CHUNK) > 0);
                assertEquals(before + 1, signals.getAcquire(0), "a put overtook the signal before the fence");
                pair.flush();
                return isBusy;
            });
            kernels.close();
        }
    }
}
