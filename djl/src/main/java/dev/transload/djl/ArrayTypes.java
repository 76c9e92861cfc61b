/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.djl;

import ai.djl.ndarray.NDArray;
import ai.djl.ndarray.types.Shape;
import dev.transload.engine.BadInputException;
import dev.transload.engine.DataType;
import java.util.Arrays;
import java.util.stream.Collectors;

/** Which arrays are which tensors. */
final class ArrayTypes
{
    private static final int MAX_DIMENSIONS = 2;

    private ArrayTypes()
    {
    }

    /** Types of DJL whose elements are bits of a tensor's type; the first is the one that a tensor has unless asked. */
    private static ai.djl.ndarray.types.DataType[] arrayTypes(final DataType type)
    {
        return switch (type)
        {
            case BF16 -> types(ai.djl.ndarray.types.DataType.BFLOAT16, ai.djl.ndarray.types.DataType.INT16);
            case F8_E4M3 -> types(ai.djl.ndarray.types.DataType.UINT8, ai.djl.ndarray.types.DataType.INT8);
            case F32 -> types(ai.djl.ndarray.types.DataType.FLOAT32);
            case I32 -> types(ai.djl.ndarray.types.DataType.INT32);
            case I64 -> types(ai.djl.ndarray.types.DataType.INT64);
        };
    }

    private static ai.djl.ndarray.types.DataType[] types(final ai.djl.ndarray.types.DataType... types)
    {
        return types;
    }

    private static String names(final DataType type)
    {
        return Arrays.stream(arrayTypes(type)).map(Enum::name).collect(Collectors.joining(" or "));
    }

    /** DJL calls types of PyTorch unknown that it names for other engines. */
    static ai.djl.ndarray.types.DataType typeOf(final NDArray array)
    {
        final ai.djl.ndarray.types.DataType type = array.getDataType();
        return ai.djl.ndarray.types.DataType.UNKNOWN == type && TorchArrays.isFrom(array.getManager()) ?
            TorchArrays.type(array) : type;
    }

    /** Type of the tensor that an array is by itself. */
    static DataType of(final NDArray array)
    {
        final ai.djl.ndarray.types.DataType type = typeOf(array);
        return switch (type)
        {
            case BFLOAT16 -> DataType.BF16;
            case FLOAT32 -> DataType.F32;
            case INT32 -> DataType.I32;
            case INT64 -> DataType.I64;
            default -> throw new BadInputException("an NDArray of " + type.name() +
                " is not allowed: must be of BFLOAT16, FLOAT32, INT32 or INT64, or, with the type given beside it, " +
                "of " + names(DataType.F8_E4M3) + " as F8_E4M3 or of INT16 as BF16");
        };
    }

    static ai.djl.ndarray.types.DataType of(final DataType type)
    {
        return arrayTypes(type)[0];
    }

    static void require(final NDArray array, final DataType type)
    {
        require(typeOf(array), type);
    }

    static void require(final ai.djl.ndarray.types.DataType array, final DataType type)
    {
        if (!Arrays.asList(arrayTypes(type)).contains(array))
        {
            throw new BadInputException("an NDArray of " + array.name() + " is not allowed as " + type +
                ": must be of " + names(type));
        }
    }

    /** Rows of an array of one or two dimensions. */
    static int rows(final Shape shape)
    {
        final int dimensions = shape.dimension();
        if (dimensions < 1 || dimensions > MAX_DIMENSIONS || shape.get(0) > Integer.MAX_VALUE ||
            columns(shape) < 1 || columns(shape) > Integer.MAX_VALUE)
        {
            throw new BadInputException("an NDArray of shape " + shape +
                " is not allowed: must be [rows] or [rows, columns], columns >= 1, both at most " + Integer.MAX_VALUE);
        }

        return (int)shape.get(0);
    }

    private static long columns(final Shape shape)
    {
        return 1 == shape.dimension() ? 1 : shape.get(1);
    }

    /** Columns of an array whose rows have been looked at. */
    static int columnsOf(final Shape shape)
    {
        return (int)columns(shape);
    }
}
