/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.djl;

import ai.djl.Device;
import ai.djl.ndarray.NDArray;
import ai.djl.ndarray.NDManager;
import ai.djl.ndarray.types.Shape;
import dev.transload.engine.BadInputException;
import dev.transload.engine.DataType;
import dev.transload.engine.Engine;
import dev.transload.engine.Tensor;
import dev.transload.engine.TensorMemory;
import dev.transload.engine.lowlatency.LowLatencyEngine;
import dev.transload.spi.MemoryKind;
import java.nio.ByteBuffer;
import java.util.function.LongFunction;

/**
 * Arrays of DJL as tensors of an engine, and tensors as arrays. {@link #borrow(NDArray)} and
 * {@link #view(NDManager, Tensor)} copy nothing; they take arrays and managers of DJL's engine for PyTorch, in host
 * memory or on an NVIDIA GPU. {@link #copy(NDArray, Tensor)} and {@link #copy(NDManager, Tensor)} copy, and take those
 * of any engine of DJL.
 * <p>
 * A tensor [rows, columns] is an array of shape (rows, columns); an array of shape (rows) is a tensor [rows, 1]. Types:
 * <table>
 * <caption>Types of tensors and arrays</caption>
 * <tr><th>tensor</th><th>array</th><th>array, where the type is given</th></tr>
 * <tr><td>BF16</td><td>BFLOAT16</td><td>INT16, the same bits</td></tr>
 * <tr><td>F8_E4M3</td><td>UINT8, the same bits; the type is to be given</td><td>INT8, the same bits</td></tr>
 * <tr><td>F32</td><td>FLOAT32</td><td></td></tr>
 * <tr><td>I32</td><td>INT32</td><td></td></tr>
 * <tr><td>I64</td><td>INT64</td><td></td></tr>
 * </table>
 * DJL 0.36 cannot make arrays of BFLOAT16 or INT16 by PyTorch: {@code toType(BFLOAT16)} ends the process. A view of
 * a BF16 tensor is one, whose {@code getDataType()} is UNKNOWN: {@code toType(FLOAT32, true)} reads it, and
 * {@code set(index, array)} rounds an array of FLOAT32 into it.
 * <p>
 * Work of PyTorch on a GPU is asynchronous: an array that is borrowed must be ready when a call starts, or the request
 * names an event to wait for. Reading an element of an array, as {@code array.getFloat(0, 0)}, waits for what makes it.
 */
public final class NDTensors
{
    private static final int ALIGNMENT = 16;

    /** Of either mode's engine. */
    @FunctionalInterface
    private interface Registry
    {
        TensorMemory register(MemoryKind kind, int device, long address, long bytes);
    }

    private final Registry registry;
    private final LongFunction<TensorMemory> host;
    private final LongFunction<TensorMemory> payload;

    private NDTensors(
        final Registry registry, final LongFunction<TensorMemory> host, final LongFunction<TensorMemory> payload)
    {
        this.registry = registry;
        this.host = host;
        this.payload = payload;
    }

    /**
     * For calls of an engine, and of those over the same transports.
     *
     * @param engine which registers what is borrowed.
     * @return tensors.
     */
    public static NDTensors of(final Engine engine)
    {
        return new NDTensors(engine::register, engine::allocateHost, engine::allocatePayload);
    }

    /**
     * For calls of a low-latency engine, and of those over the same transports.
     *
     * @param engine which registers what is borrowed.
     * @return tensors.
     */
    public static NDTensors of(final LowLatencyEngine engine)
    {
        return new NDTensors(engine::register, engine::allocateHost, engine::allocatePayload);
    }

    /**
     * The memory of an array as a tensor: nothing is copied, and either shows what is written to the other. An array
     * without rows becomes an empty tensor of the engine's.
     *
     * @param array of DJL's engine for PyTorch, BFLOAT16, FLOAT32, INT32 or INT64, dense, of one or two dimensions, at
     *              a multiple of 16 bytes; on the CPU or on an NVIDIA GPU.
     * @return tensor, to be closed before the array is.
     * @throws BadInputException for another array, naming what, and what is allowed.
     */
    public BorrowedTensor borrow(final NDArray array)
    {
        return borrow(array, ArrayTypes.of(array));
    }

    /**
     * As {@link #borrow(NDArray)}, with the type of the tensor given: for FP8, which DJL does not have.
     *
     * @param array whose elements are the bits of the tensor's, e.g. UINT8.
     * @param type  of the tensor, e.g. F8_E4M3.
     * @return tensor, to be closed before the array is.
     * @throws BadInputException for another array, naming what, and what is allowed.
     */
    public BorrowedTensor borrow(final NDArray array, final DataType type)
    {
        ArrayTypes.require(array, type);
        final int rows = ArrayTypes.rows(array.getShape());
        final int columns = ArrayTypes.columnsOf(array.getShape());
        requireTorch(array.getManager(), "borrowed");
        final MemoryKind kind = kind(array.getDevice());
        if (0 == rows)
        {
            final TensorMemory none = (kind.isHost() ? host : payload).apply(ALIGNMENT);
            return new BorrowedTensor(array, none, new Tensor(none, 0, type, rows, columns));
        }

        if (!TorchArrays.isDense(array))
        {
            throw new BadInputException("an NDArray of shape " + array.getShape() + " that is a view with gaps, " +
                "transposed or sparse cannot be borrowed: must be dense, as its duplicate() is");
        }

        final long address = TorchArrays.address(array);
        if (0 != address % ALIGNMENT)
        {
            throw new BadInputException("an NDArray at address 0x" + Long.toHexString(address) +
                " cannot be borrowed: must be at a multiple of " + ALIGNMENT + ", as its duplicate() is");
        }

        final TensorMemory registered = registry.register(kind, kind.isHost() ? 0 : array.getDevice().getDeviceId(),
            address, (long)rows * columns * type.bytes());
        return new BorrowedTensor(array, registered, new Tensor(registered, 0, type, rows, columns));
    }

    /**
     * An array over the memory of a tensor: nothing is copied, and either shows what is written to the other.
     *
     * @param manager of DJL's engine for PyTorch, which closes the array at its end.
     * @param tensor  in host memory or on an NVIDIA GPU; BF16 becomes BFLOAT16 and F8_E4M3 UINT8.
     * @return array, not to be used any more once the tensor's memory is closed, by its owner or by the engine.
     * @throws BadInputException for a manager of another engine, or memory of another device.
     */
    public static NDArray view(final NDManager manager, final Tensor tensor)
    {
        return view(manager, tensor, ArrayTypes.of(tensor.type()));
    }

    /**
     * As {@link #view(NDManager, Tensor)}, with the type of the array given.
     *
     * @param manager of DJL's engine for PyTorch, which closes the array at its end.
     * @param tensor  in host memory or on an NVIDIA GPU.
     * @param type    of the array, whose elements are the bits of the tensor's, e.g. INT16 for BF16.
     * @return array, not to be used any more once the tensor's memory is closed, by its owner or by the engine.
     * @throws BadInputException for another type than the tensor's bits can have, and as without it.
     */
    public static NDArray view(final NDManager manager, final Tensor tensor, final ai.djl.ndarray.types.DataType type)
    {
        ArrayTypes.require(type, tensor.type());
        requireTorch(manager, "a view of a tensor");
        final MemoryKind kind = tensor.memory().kind();
        if (!kind.isHost() && !MemoryKind.CUDA.equals(kind))
        {
            throw new BadInputException(
                "a tensor in " + kind + " memory cannot be an NDArray: must be in HOST or CUDA memory");
        }

        if (tensor.memory().isClosed())
        {
            throw new BadInputException("a tensor whose memory is closed cannot be an NDArray: must be open");
        }

        return TorchArrays.over(manager, tensor.memory().address() + tensor.offset(), shape(tensor), type,
            !kind.isHost(), tensor.memory().device());
    }

    /**
     * Copy an array into a tensor, through host memory where either is on a device. Blocks.
     *
     * @param array of any engine of DJL, with the tensor's shape and type, or the bits of that type.
     * @param to    tensor to write, of any memory.
     * @throws BadInputException if shape or type differ.
     */
    public static void copy(final NDArray array, final Tensor to)
    {
        ArrayTypes.require(array, to.type());
        if (ArrayTypes.rows(array.getShape()) != to.rows() || ArrayTypes.columnsOf(array.getShape()) != to.columns())
        {
            throw new BadInputException("an NDArray of shape " + array.getShape() + " cannot be copied to a tensor " +
                to + ": must have as many rows and columns");
        }

        if (0 != to.rows())
        {
            final boolean isDirect = TorchArrays.isFrom(array.getManager()) && TorchArrays.isDense(array);
            to.copyFromHost(0, array.toByteBuffer(isDirect));
        }
    }

    /**
     * Copy a tensor into a new array. Blocks.
     *
     * @param manager of any engine of DJL, which closes the array at its end.
     * @param from    of PyTorch's memory kinds, for an array on the same device; for another engine of any memory, at
     *                most 2 GiB, through host memory. BF16 becomes BFLOAT16 and F8_E4M3 UINT8.
     * @return array with memory of its own.
     * @throws BadInputException if the tensor is larger, or as by {@link #view(NDManager, Tensor)}.
     */
    public static NDArray copy(final NDManager manager, final Tensor from)
    {
        if (TorchArrays.isFrom(manager))
        {
            try (NDArray view = view(manager, from))
            {
                return view.duplicate();
            }
        }

        if (from.bytes() > Integer.MAX_VALUE)
        {
            throw new BadInputException("a tensor " + from + " of " + from.bytes() +
                " bytes cannot be copied to an NDArray: must be of at most " + Integer.MAX_VALUE + " bytes");
        }

        final ByteBuffer bytes = manager.allocateDirect((int)from.bytes());
        from.copyToHost(0, bytes);
        bytes.rewind();
        return manager.create(bytes, shape(from), ArrayTypes.of(from.type()));
    }

    private static Shape shape(final Tensor tensor)
    {
        return new Shape(tensor.rows(), tensor.columns());
    }

    private static void requireTorch(final NDManager manager, final String what)
    {
        if (!TorchArrays.isFrom(manager))
        {
            throw new BadInputException("an NDArray of DJL's engine " + manager.getEngine().getEngineName() +
                " cannot be " + what + ": must be of PyTorch, or be copied");
        }
    }

    private static MemoryKind kind(final Device device)
    {
        if (!device.isGpu() && !Device.Type.CPU.equals(device.getDeviceType()))
        {
            throw new BadInputException(
                "an NDArray on " + device + " cannot be borrowed: must be on " + Device.cpu() + " or on a GPU");
        }

        return device.isGpu() ? MemoryKind.CUDA : MemoryKind.HOST;
    }
}
