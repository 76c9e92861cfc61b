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
 * Converts between arrays of DJL and tensors of an engine. {@link #borrow(NDArray)} and
 * {@link #view(NDManager, Tensor)} copy nothing. These two methods accept only arrays and managers of DJL's engine for
 * PyTorch, and only on the CPU or an NVIDIA GPU. {@link #copy(NDArray, Tensor)} and {@link #copy(NDManager, Tensor)}
 * copy the data and accept any DJL engine.
 * <p>
 * A tensor [rows, columns] corresponds to an array of shape (rows, columns). An array of shape (rows) corresponds to a
 * tensor [rows, 1]. Types:
 * <table>
 * <caption>Types of tensors and arrays</caption>
 * <tr><th>tensor</th><th>array</th><th>array type that is also possible if the caller passes a type</th></tr>
 * <tr><td>BF16</td><td>BFLOAT16</td><td>INT16 with the same bits</td></tr>
 * <tr><td>F8_E4M3</td><td>UINT8 with the same bits; {@code borrow} requires the argument {@code type}</td>
 * <td>INT8 with the same bits</td></tr>
 * <tr><td>F32</td><td>FLOAT32</td><td></td></tr>
 * <tr><td>I32</td><td>INT32</td><td></td></tr>
 * <tr><td>I64</td><td>INT64</td><td></td></tr>
 * </table>
 * With PyTorch, DJL 0.36 cannot create arrays of BFLOAT16 or INT16: {@code toType(BFLOAT16)} ends the process. A view
 * of a BF16 tensor is a BFLOAT16 array whose {@code getDataType()} returns UNKNOWN. {@code toType(FLOAT32, true)} reads
 * the view, and {@code set(index, array)} rounds a FLOAT32 array and writes it to the view.
 * <p>
 * PyTorch works asynchronously on a GPU. When a call starts, each borrowed array must be complete, or the request of
 * the call must name an event for which the call waits. Reading an element, such as {@code array.getFloat(0, 0)}, waits
 * until the array is complete.
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
     * Creates an instance for an engine. Other engines over the same transports can use the instance's tensors, too.
     *
     * @param engine engine with which borrowed memory is registered.
     * @return new instance.
     */
    public static NDTensors of(final Engine engine)
    {
        return new NDTensors(engine::register, engine::allocateHost, engine::allocatePayload);
    }

    /**
     * Creates an instance for a low-latency engine. Other engines over the same transports can use the instance's
     * tensors, too.
     *
     * @param engine engine with which borrowed memory is registered.
     * @return new instance.
     */
    public static NDTensors of(final LowLatencyEngine engine)
    {
        return new NDTensors(engine::register, engine::allocateHost, engine::allocatePayload);
    }

    /**
     * Returns a tensor over the memory of an array. Nothing is copied: changes to the array are visible in the tensor,
     * and changes to the tensor are visible in the array. If the array has no rows, the tensor
     * is empty and has its own memory.
     *
     * @param array dense array of DJL's engine for PyTorch on the CPU or an NVIDIA GPU, with type BFLOAT16, FLOAT32,
     *              INT32 or INT64, one or two dimensions, and an address that is a multiple of 16 bytes.
     * @return tensor, which must be closed before the array.
     * @throws BadInputException if the array is not allowed; the message names the property and the allowed values.
     */
    public BorrowedTensor borrow(final NDArray array)
    {
        return borrow(array, ArrayTypes.of(array));
    }

    /**
     * Returns a tensor over the memory of an array, like {@link #borrow(NDArray)}, but with a given type. Use this
     * method for FP8, which DJL does not support.
     *
     * @param array array of a type whose elements have the same size as elements of {@code type}, e.g. UINT8. The
     *              tensor's elements have the same bits as the array's elements.
     * @param type  type of the tensor, e.g. F8_E4M3.
     * @return tensor, which must be closed before the array.
     * @throws BadInputException if the array is not allowed; the message names the property and the allowed values.
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
     * Returns an array over the memory of a tensor. Nothing is copied: changes to the array are visible in the tensor,
     * and changes to the tensor are visible in the array.
     *
     * @param manager manager of DJL's engine for PyTorch; closing it closes the array.
     * @param tensor  tensor in host memory or on an NVIDIA GPU; BF16 becomes BFLOAT16, and F8_E4M3 becomes UINT8.
     * @return array. It must not be used after the tensor's memory has been closed, either by its owner or by the
     *         engine.
     * @throws BadInputException if the manager is not of DJL's engine for PyTorch, or if the tensor is neither in host
     *                           memory nor on an NVIDIA GPU.
     */
    public static NDArray view(final NDManager manager, final Tensor tensor)
    {
        return view(manager, tensor, ArrayTypes.of(tensor.type()));
    }

    /**
     * Returns an array over the memory of a tensor, like {@link #view(NDManager, Tensor)}, but with a given type.
     *
     * @param manager manager of DJL's engine for PyTorch; closing it closes the array.
     * @param tensor  tensor in host memory or on an NVIDIA GPU.
     * @param type    type of the array, e.g. INT16 for a BF16 tensor. Elements of this type must have the same size as
     *                the tensor's elements. The bits are unchanged.
     * @return array. It must not be used after the tensor's memory has been closed, either by its owner or by the
     *         engine.
     * @throws BadInputException if the type does not fit the tensor's elements, the manager is not of DJL's engine for
     *                           PyTorch, or the tensor is neither in host memory nor on an NVIDIA GPU.
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
     * Copies an array into a tensor. If the array or the tensor is on a device, the data passes through host memory.
     * The call blocks until the copy is complete.
     *
     * @param array array of any DJL engine. The array must have the shape of the tensor, and a type that the table of
     *              this class lists for the tensor's type.
     * @param to    tensor to write, in memory of any kind.
     * @throws BadInputException if the shape or the type of the array does not fit the tensor.
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
     * Copies a tensor into a new array. The call blocks until the copy is complete.
     *
     * @param manager manager of any DJL engine; closing it closes the array.
     * @param from    tensor to copy. For PyTorch, the tensor must be in host memory or on an NVIDIA GPU, and the new
     *                array is on the same device. For other engines, the tensor may be in any memory but must be
     *                smaller than 2 GiB, and the data passes through host memory. BF16 becomes BFLOAT16, and F8_E4M3
     *                becomes UINT8.
     * @return array with its own memory.
     * @throws BadInputException if the tensor is too large, or, for PyTorch, if {@link #view(NDManager, Tensor)} would
     *                           throw this exception.
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
