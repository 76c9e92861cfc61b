/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.lowlatency;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import dev.transload.cli.rank.HostMirrors;
import dev.transload.engine.DataType;
import dev.transload.engine.HeapTensors;
import dev.transload.engine.Tensor;
import dev.transload.engine.TensorMemory;
import dev.transload.engine.lowlatency.LowLatencyOutput;
import dev.transload.spi.Access;
import dev.transload.spi.MemoryKind;
import dev.transload.spi.MemoryRegion;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What a verification of rows on a device costs. */
class MirroredCallsTest
{
    private long copiedBytes;
    private int allocations;

    @Test
    void shouldCopyOnlyRowsThatAreExpectedOrCounted()
    {
        final CallExpectation expectation = SentCalls.expectation(SentCalls.input(false), 0, 0);
        final CallOutputs outputs = onDevice(SentCalls.outputs(expectation, SentCalls.all(), SentCalls.all()));
        final HostMirrors mirrors = mirrors();

        assertNull(CallVerification.ofReceived(expectation, outputs.mirrored(mirrors, expectation)));
        assertEquals(expectation.rows() * outputs.received().x().rowBytes(), copiedBytes);

        final String surplus = "one row more than expected is copied too, and none beyond the room";
        copiedBytes = 0;
        outputs.setCount(0, expectation.rows(0) + 1);
        outputs.mirrored(mirrors, expectation);
        assertEquals((expectation.rows() + 1) * outputs.received().x().rowBytes(), copiedBytes, surplus);
        copiedBytes = 0;
        outputs.setCount(0, Integer.MAX_VALUE);
        outputs.mirrored(mirrors, expectation);
        assertEquals((expectation.rows() - expectation.rows(0) + outputs.rowsPerExpert()) *
            outputs.received().x().rowBytes(), copiedBytes, surplus);
    }

    @Test
    void shouldCopyATensorToTheSameMemoryEachTime()
    {
        final Tensor tensor = onDevice(HeapTensors.of(DataType.BF16, 3, SentCalls.HIDDEN));
        final HostMirrors mirrors = mirrors();

        final Tensor first = mirrors.of(tensor);
        tensor.copyFromHost(1, ByteBuffer.allocate(4).putInt(0, 7));
        final Tensor second = mirrors.of(tensor);

        assertEquals(1, allocations);
        assertEquals(2 * tensor.bytes(), copiedBytes);
        assertEquals(7, second.view().order(ByteOrder.BIG_ENDIAN).getInt((int)tensor.rowBytes()));
        assertEquals(first.memory(), second.memory());
        mirrors.close();
    }

    private HostMirrors mirrors()
    {
        return new HostMirrors((bytes) ->
        {
            allocations++;
            return HeapTensors.of(DataType.I32, (int)((bytes + Integer.BYTES - 1) / Integer.BYTES), 1).memory();
        });
    }

    private CallOutputs onDevice(final CallOutputs outputs)
    {
        final LowLatencyOutput received = outputs.received();
        return new CallOutputs(new LowLatencyOutput(onDevice(received.x()), null, received.scaleLayout(),
            received.count(), received.srcInfo(), received.layoutRange()), outputs.combined(), outputs.arrived(),
            outputs.answered(), outputs.lost());
    }

    /** The same bytes, of a kind that the JVM cannot look into. */
    private Tensor onDevice(final Tensor tensor)
    {
        final ByteBuffer bytes = tensor.view();
        final TensorMemory memory = new TensorMemory(1, null, new DeviceRegion(tensor.bytes()), List.of(), false,
            (region, offset, host, isToHost) ->
            {
                if (isToHost)
                {
                    copiedBytes += host.remaining();
                    host.put(bytes.slice((int)offset, host.remaining()));
                }
                else
                {
                    bytes.slice((int)offset, host.remaining()).put(host);
                }
            });
        return new Tensor(memory, 0, tensor.type(), tensor.rows(), tensor.columns());
    }

    private record DeviceRegion(long length) implements MemoryRegion
    {
        @Override
        public MemoryKind kind()
        {
            return MemoryKind.CUDA;
        }

        @Override
        public int device()
        {
            return 0;
        }

        @Override
        public Access access()
        {
            return Access.LOCAL;
        }

        @Override
        public long address()
        {
            return 0;
        }

        @Override
        public ByteBuffer descriptor()
        {
            throw new UnsupportedOperationException("it is not remote");
        }

        @Override
        public ByteBuffer hostView(final long offset, final int length)
        {
            throw new UnsupportedOperationException("it is on a device");
        }

        @Override
        public void close()
        {
        }
    }
}
