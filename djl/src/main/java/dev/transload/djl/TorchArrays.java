/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.djl;

import ai.djl.ndarray.NDArray;
import ai.djl.ndarray.NDManager;
import ai.djl.ndarray.types.DataType;
import ai.djl.ndarray.types.Shape;
import ai.djl.pytorch.engine.PtNDArray;
import ai.djl.pytorch.engine.PtNDManager;
import ai.djl.pytorch.jni.LibUtils;
import com.sun.jna.Library;
import com.sun.jna.NativeLibrary;
import com.sun.jna.Pointer;
import com.sun.jna.ptr.IntByReference;
import com.sun.jna.ptr.PointerByReference;
import dev.transload.engine.BadInputException;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;

/**
 * Where arrays of DJL's engine for PyTorch lie, and arrays over given memory. DJL says neither, but its handles are
 * tensors of PyTorch ({@code at::Tensor*}), which the C functions of libtorch for compiled models take
 * ({@code torch/csrc/inductor/aoti_torch/c/shim.h}, stable since 2.1).
 */
final class TorchArrays
{
    private static final String ENGINE = "PyTorch";
    private static final int RTLD_LAZY = 1;

    private TorchArrays()
    {
    }

    /** The libtorch that DJL has loaded, which is not loaded again. */
    private static final class Torch
    {
        static final NativeLibrary LIBRARY = NativeLibrary.getInstance(
            Path.of(LibUtils.getLibtorchPath()).resolve(System.mapLibraryName("torch_cpu")).toString(),
            Map.of(Library.OPTION_OPEN_FLAGS, RTLD_LAZY));
    }

    /** Without a look at classes of DJL's engine for PyTorch, which may not be there. */
    static boolean isFrom(final NDManager manager)
    {
        return ENGINE.equals(manager.getEngine().getEngineName());
    }

    static long address(final NDArray array)
    {
        final PointerByReference address = new PointerByReference();
        call("aoti_torch_get_data_ptr", handle(array), address);
        return Pointer.nativeValue(address.getValue());
    }

    /** One of the types that tensors may have and DJL does not tell, or UNKNOWN. */
    static DataType type(final NDArray array)
    {
        final IntByReference type = new IntByReference();
        call("aoti_torch_get_dtype", handle(array), type);
        for (final DataType known : new DataType[]{ DataType.BFLOAT16, DataType.INT16 })
        {
            if (number("dtype_" + name(known)) == type.getValue())
            {
                return known;
            }
        }

        return DataType.UNKNOWN;
    }

    /** Whether its elements follow each other row by row without gaps. */
    static boolean isDense(final NDArray array)
    {
        if (array.isSparse())
        {
            return false;
        }

        final PointerByReference strides = new PointerByReference();
        call("aoti_torch_get_strides", handle(array), strides);
        final Shape shape = array.getShape();
        long expected = 1;
        for (int i = shape.dimension() - 1; i >= 0; i--)
        {
            if (1 != shape.get(i) && expected != strides.getValue().getLong((long)i * Long.BYTES))
            {
                return 0 == shape.size();
            }

            expected *= shape.get(i);
        }

        return true;
    }

    /** Over memory that the caller keeps as long as the array lives. */
    static NDArray over(
        final NDManager manager, final long address, final Shape shape, final DataType type, final boolean isCuda,
        final int device)
    {
        final long[] sizes = shape.getShape();
        final long[] strides = new long[sizes.length];
        long stride = 1;
        for (int i = sizes.length - 1; i >= 0; i--)
        {
            strides[i] = stride;
            stride *= sizes[i];
        }

        final PointerByReference made = new PointerByReference();
        call("aoti_torch_create_tensor_from_blob", new Pointer(address), (long)sizes.length, sizes, strides, 0L,
            number("dtype_" + name(type)), number(isCuda ? "device_type_cuda" : "device_type_cpu"), device, made);
        return new PtNDArray((PtNDManager)manager, Pointer.nativeValue(made.getValue()));
    }

    private static Pointer handle(final NDArray array)
    {
        return new Pointer(((PtNDArray)array).getHandle());
    }

    private static String name(final DataType type)
    {
        // FLOAT32 and so on are called as in PyTorch.
        return type.name().toLowerCase(Locale.ROOT);
    }

    private static int number(final String name)
    {
        return invoke("aoti_torch_" + name);
    }

    private static void call(final String function, final Object... arguments)
    {
        if (0 != invoke(function, arguments))
        {
            throw new BadInputException(
                function + " of PyTorch refused an NDArray, and wrote why to the standard error stream: must be " +
                "dense, in host memory or on a GPU");
        }
    }

    private static int invoke(final String function, final Object... arguments)
    {
        try
        {
            return Torch.LIBRARY.getFunction(function).invokeInt(arguments);
        }
        catch (final UnsatisfiedLinkError ex)
        {
            throw new IllegalStateException("PyTorch in " + LibUtils.getLibtorchPath() + " has no " + function +
                ": must be 2.1 or newer; copies go without", ex);
        }
    }
}
