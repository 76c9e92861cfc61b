/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.nvlink;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.transload.kernels.RowCopies;
import dev.transload.kernels.RowKernels;
import dev.transload.spi.Channel;
import dev.transload.spi.MemoryRegion;
import dev.transload.spi.RemoteSignals;
import dev.transload.spi.RowList;
import dev.transload.spi.SignalRegion;

import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The device goes on with what is given behind a signal, which shows when it is done with what was before. */
class SignalTest
{
    private static final int ROW_LENGTH = 64;
    private static final int CHUNKS = 8;
    private static final int CHUNK = Pair.BYTES / CHUNKS;

    private static Map<String, String> options()
    {
        final Map<String, String> options = new HashMap<>(Emulator.options());
        options.putAll(Map.of("proxy", "on", "proxy-max-bytes", "8", "proxy-idle-us", "10000000",
            "proxy-residency-ms", "10000", "timeout-ms", "3600000"));
        return options;
    }

    @Test
    void shouldTakeChunksBehindSignalsThatAreNotAddedYet()
    {
        final Map<String, String> options = options();
        try (Pair pair = new Pair(options); EmulatedDevice device = new EmulatedDevice(options))
        {
            final SignalRegion signals = pair.far.allocateSignals(2, 1);
            final RemoteSignals remote = pair.worker.importSignals(1, signals.descriptor());
            final RowKernels kernels = device.kernels();
            final RowList list = kernels.allocateRows(1).rowLength(ROW_LENGTH);
            list.set(0, 0, 0);
            final MemoryRegion rows = device.allocate(ROW_LENGTH);
            // Waits on the device for its part to be opened, and the channel's stream behind it.
            final long held = kernels.gates().copyRows(
                new RowCopies().add(rows, device.allocate(ROW_LENGTH), list, 0, 1));
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
            assertEquals(0, signals.getAcquire(0), "a signal overtook the chunk before it");

            kernels.gates().open(1);
            kernels.gates().leave();
            pair.await(() -> signals.getAcquire(1) == 2);
            assertEquals(CHUNKS, signals.getAcquire(0));
            device.finish(held);
            kernels.close();
        }
    }

    @Test
    void shouldHoldBackWhatIsBehindAFenceBehindASignal()
    {
        final Map<String, String> options = options();
        try (Pair pair = new Pair(options); EmulatedDevice device = new EmulatedDevice(options))
        {
            final SignalRegion signals = pair.far.allocateSignals(1, 1);
            final RemoteSignals remote = pair.worker.importSignals(1, signals.descriptor());
            final RowKernels kernels = device.kernels();
            final RowList list = kernels.allocateRows(1).rowLength(ROW_LENGTH);
            list.set(0, 0, 0);
            final MemoryRegion rows = device.allocate(ROW_LENGTH);
            final long held = kernels.gates().copyRows(
                new RowCopies().add(rows, device.allocate(ROW_LENGTH), list, 0, 1));
            pair.await(() -> 0 <= pair.channel.startAfter(kernels, held));
            assertTrue(pair.channel.put(pair.source, 0, pair.remote, 0, CHUNK) > 0);
            assertTrue(pair.channel.signal(remote, 0, 1) > 0);
            assertTrue(pair.channel.fence() > 0);
            assertEquals(Channel.BACK_PRESSURED, pair.channel.put(pair.source, 0, pair.remote, CHUNK, CHUNK));

            kernels.gates().open(1);
            kernels.gates().leave();
            pair.await(() -> pair.channel.put(pair.source, 0, pair.remote, CHUNK, CHUNK) > 0);
            assertEquals(1, signals.getAcquire(0), "a put overtook the signal before the fence");
            pair.flush();
            device.finish(held);
            kernels.close();
        }
    }
}
