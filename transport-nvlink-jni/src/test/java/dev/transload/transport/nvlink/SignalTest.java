/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.nvlink;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.transload.kernels.RowKernels;
import dev.transload.spi.Access;
import dev.transload.spi.MemoryKind;
import dev.transload.spi.MemoryRegion;
import dev.transload.spi.RemoteRegion;
import dev.transload.spi.RemoteSignals;
import dev.transload.spi.SignalRegion;

import java.util.Map;
import org.junit.jupiter.api.Test;

/** The device goes on with what is given behind a signal, which shows when it is done with what was before. */
class SignalTest
{
    private static final int CHUNKS = 8;
    private static final int CHUNK = Pair.BYTES / CHUNKS;
    private static final int LONG_CHUNK = 32 << 20;
    private static final int MOST_ROUNDS = 100;

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

    /** Credit and metadata of other rows go by the same channel. */
    @Test
    void shouldAddAndPutPastSignalsThatWaitForTheDevice()
    {
        try (Pair pair = new Pair(Emulator.options()))
        {
            final SignalRegion signals = pair.far.allocateSignals(2, 1);
            final RemoteSignals remote = pair.worker.importSignals(1, signals.descriptor());
            final MemoryRegion rows = pair.near.allocate(MemoryKind.CUDA, 0, LONG_CHUNK, Access.REMOTE);
            final MemoryRegion rowsThere = pair.far.allocate(MemoryKind.CUDA, 1, LONG_CHUNK, Access.REMOTE);
            final RemoteRegion rowsRemote = pair.worker.importRegion(1, rowsThere.descriptor());
            final MemoryRegion word = pair.near.allocate(MemoryKind.HOST, 0, Long.BYTES, Access.LOCAL);
            final MemoryRegion wordThere = pair.far.allocate(MemoryKind.HOST, 0, Long.BYTES, Access.REMOTE);
            final RemoteRegion wordRemote = pair.worker.importRegion(1, wordThere.descriptor());
            boolean wasBusy = false;
            for (long round = 1; !wasBusy; round++)
            {
                assertTrue(round < MOST_ROUNDS, "the device was never busy");
                word.hostView(0, Long.BYTES).putLong(0, round);
                assertTrue(pair.channel.put(rows, 0, rowsRemote, 0, LONG_CHUNK) > 0);
                assertTrue(pair.channel.signal(remote, 0, 1) > 0);
                assertTrue(pair.channel.atomicAdd(remote, 1, 1) > 0);
                assertTrue(pair.channel.put(word, 0, wordRemote, 0, Long.BYTES) > 0);
                final boolean isAdded = signals.getAcquire(1) == round;
                final boolean isPut = wordThere.hostView(0, Long.BYTES).getLong(0) == round;
                wasBusy = signals.getAcquire(0) < round;
                assertTrue(isAdded && isPut || !wasBusy, "an add or a put waits for the device");
                pair.flush();
                assertEquals(round, signals.getAcquire(0));
            }
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
