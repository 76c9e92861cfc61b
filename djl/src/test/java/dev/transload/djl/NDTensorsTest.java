/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.djl;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ai.djl.Device;
import ai.djl.ndarray.NDArray;
import ai.djl.ndarray.NDManager;
import ai.djl.ndarray.index.NDIndex;
import ai.djl.ndarray.types.DataType;
import ai.djl.ndarray.types.Shape;
import com.typesafe.config.ConfigFactory;
import dev.transload.engine.BadInputException;
import dev.transload.engine.CombineRequest;
import dev.transload.engine.CombineResult;
import dev.transload.engine.DispatchRequest;
import dev.transload.engine.DispatchResult;
import dev.transload.engine.Engine;
import dev.transload.engine.EngineConfig;
import dev.transload.engine.Tensor;
import dev.transload.engine.TensorMemory;
import dev.transload.rendezvous.InMemoryRendezvous;
import dev.transload.rendezvous.Rendezvous;
import dev.transload.spi.TransportRegistry;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Arrays in host memory and a world of one rank. */
@Timeout(60)
class NDTensorsTest
{
    private static final int ROWS = 3;
    private static final int COLUMNS = 16;

    private static Rendezvous rendezvous;
    private static Engine engine;
    private static NDTensors tensors;
    private static NDManager manager;

    @BeforeAll
    static void open()
    {
        Torch.assumeThere();
        rendezvous = InMemoryRendezvous.world(1).get(0);
        engine = Engine.open(EngineConfig.from(ConfigFactory.parseString("transload { nodes = 1, ranks-per-node = 1, " +
            "max-hidden = 128, max-topk = 2, max-experts = 4, scale-up.transport = aeron }")
            .withFallback(ConfigFactory.load())), rendezvous, TransportRegistry.discover());
        tensors = NDTensors.of(engine);
        manager = Torch.manager();
    }

    @AfterAll
    static void close()
    {
        if (null != engine)
        {
            manager.close();
            engine.close();
            rendezvous.close();
        }
    }

    private static NDArray counted(final DataType type, final int rows, final int columns)
    {
        final NDArray values = manager.arange(0, rows * columns, 1, DataType.FLOAT32).reshape(rows, columns);
        if (DataType.BFLOAT16 != type && DataType.INT16 != type)
        {
            return values.toType(type, true);
        }

        // DJL can make neither.
        final Tensor tensor = new Tensor(engine.allocateHost((long)rows * columns * Short.BYTES), 0,
            dev.transload.engine.DataType.BF16, rows, columns);
        NDTensors.view(manager, tensor).set(new NDIndex("0:{}", rows), values);
        return NDTensors.view(manager, tensor, type).duplicate();
    }

    private static Tensor allocated(final dev.transload.engine.DataType type)
    {
        return new Tensor(engine.allocateHost(ROWS * COLUMNS * type.bytes() + 16), 16, type, ROWS, COLUMNS);
    }

    private static void putOne(final NDArray array)
    {
        array.set(new NDIndex("2:3, 15:16"), manager.ones(new Shape(1, 1)));
    }

    @ParameterizedTest
    @CsvSource({ "BFLOAT16,BF16", "INT16,BF16", "UINT8,F8_E4M3", "INT8,F8_E4M3", "FLOAT32,F32", "INT32,I32",
        "INT64,I64" })
    void shouldBorrowAnArrayInPlace(final DataType type, final dev.transload.engine.DataType expected)
    {
        final NDArray array = counted(type, ROWS, COLUMNS);
        try (BorrowedTensor borrowed = tensors.borrow(array, expected))
        {
            final Tensor tensor = borrowed.tensor();
            assertEquals(expected + " [3, 16]", tensor.toString());
            assertEquals(array.toByteBuffer(), tensor.view());
            putOne(array);
            assertEquals(array.toByteBuffer(), tensor.view());
            final ByteBuffer before = array.toByteBuffer();
            tensor.view().put(0, (byte)1);
            assertNotEquals(before, array.toByteBuffer());
            assertEquals(array.toByteBuffer(), tensor.view());
            assertSame(array, borrowed.array());
        }
    }

    @ParameterizedTest
    @CsvSource({ "BF16,BFLOAT16", "BF16,INT16", "F8_E4M3,UINT8", "F8_E4M3,INT8", "F32,FLOAT32", "I32,INT32",
        "I64,INT64" })
    void shouldViewATensorInPlace(final dev.transload.engine.DataType type, final DataType expected)
    {
        final Tensor tensor = allocated(type);
        try (NDArray array = NDTensors.view(manager, tensor, expected))
        {
            assertEquals(expected, ArrayTypes.typeOf(array));
            assertEquals(new Shape(ROWS, COLUMNS), array.getShape());
            assertEquals(Device.cpu(), array.getDevice());
            putOne(array);
            assertEquals(1, array.toType(DataType.INT32, false).getInt(2, 15));
            assertEquals(tensor.view(), array.toByteBuffer());
            tensor.view().put(0, (byte)1);
            assertEquals(tensor.view(), array.toByteBuffer());
        }

        tensor.view().put(1, (byte)2);
        tensor.memory().close();
    }

    @Test
    void shouldHaveTheTypeOfTheOtherSideUnlessAsked()
    {
        try (BorrowedTensor rows = tensors.borrow(counted(DataType.BFLOAT16, ROWS, COLUMNS)))
        {
            assertEquals(dev.transload.engine.DataType.BF16, rows.tensor().type());
        }

        final Tensor bytes = allocated(dev.transload.engine.DataType.F8_E4M3);
        assertEquals(DataType.UINT8, NDTensors.view(manager, bytes).getDataType());
        assertEquals(DataType.UINT8, NDTensors.copy(manager, bytes).getDataType());
    }

    @Test
    void shouldBorrowOneDimensionAsOneColumn()
    {
        try (BorrowedTensor borrowed = tensors.borrow(manager.create(new int[]{ 1, 2, 3, 4, 5 })))
        {
            assertEquals("I32 [5, 1]", borrowed.tensor().toString());
        }
    }

    @Test
    void shouldBorrowRowsFromTheMiddle()
    {
        final NDArray rows = counted(DataType.FLOAT32, ROWS, COLUMNS).get(new NDIndex("1:3"));
        try (BorrowedTensor borrowed = tensors.borrow(rows))
        {
            assertEquals(COLUMNS, borrowed.tensor().view().getFloat(0));
            assertEquals(2 * COLUMNS * Float.BYTES, borrowed.tensor().bytes());
        }
    }

    @Test
    void shouldTakeNoRows()
    {
        final NDArray none = manager.create(new Shape(0, COLUMNS), DataType.FLOAT32);
        try (BorrowedTensor borrowed = tensors.borrow(none))
        {
            assertEquals("F32 [0, 16]", borrowed.tensor().toString());
            assertEquals(none.getShape(), NDTensors.view(manager, borrowed.tensor()).getShape());
            assertEquals(none.getShape(), NDTensors.copy(manager, borrowed.tensor()).getShape());
            NDTensors.copy(none, borrowed.tensor());
        }
    }

    @ParameterizedTest
    @CsvSource({ "BFLOAT16,BF16", "INT8,F8_E4M3", "FLOAT32,F32", "INT32,I32", "INT64,I64" })
    void shouldCopyBothWays(final DataType type, final dev.transload.engine.DataType expected)
    {
        final NDArray array = counted(type, ROWS, COLUMNS);
        final Tensor tensor = allocated(expected);
        NDTensors.copy(array, tensor);
        final NDArray back = NDTensors.copy(manager, tensor);
        assertEquals(array.toByteBuffer(), back.toByteBuffer());
        tensor.view().put(0, (byte)77);
        assertEquals(array.toByteBuffer(), back.toByteBuffer());
    }

    @Test
    void shouldCopyAnArrayWithGaps()
    {
        final NDArray transposed = counted(DataType.FLOAT32, COLUMNS, ROWS).transpose();
        final Tensor tensor = allocated(dev.transload.engine.DataType.F32);
        NDTensors.copy(transposed, tensor);
        assertArrayEquals(transposed.toFloatArray(), NDTensors.view(manager, tensor).toFloatArray());
        assertEquals(ROWS, tensor.view().getFloat(Float.BYTES));
    }

    @Test
    void shouldCarryFp8RowsAndTheirScales()
    {
        final NDArray bits =
            manager.arange(0, 4 * 128, 1, DataType.INT32).mod(120).reshape(4, 128).toType(DataType.UINT8, true);
        final NDArray scales = manager.ones(new Shape(4, 1));
        final NDArray experts = manager.create(new long[]{ 3, 0, 2, 1 }, new Shape(4, 1));
        try (BorrowedTensor x = tensors.borrow(bits, dev.transload.engine.DataType.F8_E4M3);
            BorrowedTensor xScales = tensors.borrow(scales);
            BorrowedTensor idx = tensors.borrow(experts))
        {
            final DispatchResult sent = engine.dispatch(DispatchRequest.of(x.tensor(), xScales.tensor())
                .topk(idx.tensor(), null, 4)).await();
            assertEquals(bits, NDTensors.view(manager, sent.output().x()));
            assertEquals(scales, NDTensors.view(manager, sent.output().xScales()));
            assertEquals(experts, NDTensors.view(manager, sent.output().topkIdx()));
            assertArrayEquals(
                new int[]{ 0, 1, 2, 3 }, NDTensors.view(manager, sent.output().srcTokenIdx()).toIntArray());
            sent.handle().close();
        }
    }

    @Test
    void shouldCombineIntoABorrowedArray()
    {
        final NDArray rows = counted(DataType.BFLOAT16, 4, 128);
        final NDArray home = rows.duplicate();
        home.set(new NDIndex("0:4"), manager.zeros(new Shape(4, 128)));
        assertNotEquals(rows.toByteBuffer(), home.toByteBuffer());
        final NDArray experts = manager.create(new long[]{ 3, 0, 2, 1 }, new Shape(4, 1));
        try (BorrowedTensor x = tensors.borrow(rows);
            BorrowedTensor idx = tensors.borrow(experts);
            BorrowedTensor out = tensors.borrow(home))
        {
            final DispatchResult sent =
                engine.dispatch(DispatchRequest.of(x.tensor()).topk(idx.tensor(), null, 4)).await();
            final CombineResult combined = engine.combine(
                CombineRequest.of(sent.handle(), sent.output().x()).output(out.tensor(), null)).await();
            assertEquals(out.tensor().toString(), combined.x().toString());
            assertEquals(rows.toByteBuffer(), home.toByteBuffer());
            sent.handle().close();
        }
    }

    @Test
    void shouldRefuseTypesByName()
    {
        refused("an NDArray of FLOAT16 is not allowed: must be of BFLOAT16, FLOAT32, INT32 or INT64, or, with the " +
            "type given beside it, of UINT8 or INT8 as F8_E4M3 or of INT16 as BF16",
            () -> tensors.borrow(counted(DataType.FLOAT16, ROWS, COLUMNS)));
        refused("an NDArray of FLOAT32 is not allowed as F8_E4M3: must be of UINT8 or INT8", () ->
            tensors.borrow(counted(DataType.FLOAT32, ROWS, COLUMNS), dev.transload.engine.DataType.F8_E4M3));
        refused("an NDArray of INT32 is not allowed as F32: must be of FLOAT32", () ->
            NDTensors.view(manager, allocated(dev.transload.engine.DataType.F32), DataType.INT32));
    }

    @Test
    void shouldRefuseShapesByName()
    {
        refused("an NDArray of shape (2, 3, 4) is not allowed: must be [rows] or [rows, columns], columns >= 1",
            () -> tensors.borrow(manager.zeros(new Shape(2, 3, 4))));
        refused("an NDArray of shape (2, 0) is not allowed", () -> tensors.borrow(manager.zeros(new Shape(2, 0))));
        refused("an NDArray of shape () is not allowed", () -> tensors.borrow(manager.create(1f)));
        refused("an NDArray of shape (16, 3) cannot be copied to a tensor F32 [3, 16]: must have as many rows " +
            "and columns", () -> NDTensors.copy(counted(DataType.FLOAT32, COLUMNS, ROWS),
                allocated(dev.transload.engine.DataType.F32)));
    }

    @Test
    void shouldRefuseWhatCannotBeBorrowedInPlace()
    {
        refused("is a view with gaps, transposed or sparse cannot be borrowed: must be dense, as its duplicate() is",
            () -> tensors.borrow(counted(DataType.FLOAT32, ROWS, COLUMNS).transpose()));
        refused("that is a view with gaps",
            () -> tensors.borrow(counted(DataType.FLOAT32, ROWS, COLUMNS).get(new NDIndex(":, 0:4"))));
        refused("cannot be borrowed: must be at a multiple of 16, as its duplicate() is",
            () -> tensors.borrow(counted(DataType.FLOAT32, ROWS, 1).get(new NDIndex("1:3"))));
    }

    @Test
    void shouldRefuseAViewOfClosedMemory()
    {
        final TensorMemory memory = engine.allocateHost(64);
        final Tensor tensor = new Tensor(memory, 0, dev.transload.engine.DataType.F32, 4, 4);
        memory.close();
        refused("a tensor whose memory is closed cannot be an NDArray: must be open",
            () -> NDTensors.view(manager, tensor));
    }

    private static void refused(final String sentence, final Executable call)
    {
        final String message = assertThrows(BadInputException.class, call).getMessage();
        assertTrue(message.contains(sentence), message);
    }
}
