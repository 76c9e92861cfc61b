/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.kernels.host;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.ShortVector;
import jdk.incubator.vector.VectorShape;
import jdk.incubator.vector.VectorSpecies;

/**
 * Loads and stores vectors in windows of off-heap memory. The incubator reads byte buffers on JDK 17 and memory
 * segments from 22 on, and no form is on both; the handles are static and final, so that C2 sees through them.
 */
final class VectorMemory
{
    /** Widest vectors of this processor. */
    static final VectorSpecies<Integer> INTS = IntVector.SPECIES_PREFERRED;

    /** As many lanes as {@link #INTS}, of half the width. */
    static final VectorSpecies<Short> SHORTS =
        VectorSpecies.of(short.class, VectorShape.forBitSize(INTS.vectorBitSize() / 2));

    private static final int FIRST_WITH_SEGMENTS = 22;
    private static final boolean HAS_SEGMENTS = Runtime.version().feature() >= FIRST_WITH_SEGMENTS;
    private static final ByteOrder ORDER = ByteOrder.LITTLE_ENDIAN;
    private static final MethodHandle OF_BUFFER;
    /** (Object window, int offset)IntVector. */
    static final MethodHandle LOAD_INTS;
    private static final MethodHandle LOAD_SHORTS;
    /** (IntVector, Object window, int offset)void. */
    static final MethodHandle STORE_INTS;
    private static final MethodHandle STORE_SHORTS;

    static
    {
        try
        {
            final MethodHandles.Lookup lookup = MethodHandles.publicLookup();
            final Class<?> memory = HAS_SEGMENTS ?
                Class.forName("java.lang.foreign.MemorySegment") : ByteBuffer.class;

            OF_BUFFER = HAS_SEGMENTS ?
                lookup.findStatic(memory, "ofBuffer", MethodType.methodType(memory, Buffer.class))
                    .asType(MethodType.methodType(Object.class, ByteBuffer.class)) :
                MethodHandles.identity(ByteBuffer.class)
                    .asType(MethodType.methodType(Object.class, ByteBuffer.class));
            LOAD_INTS = loader(lookup, IntVector.class, INTS, memory);
            LOAD_SHORTS = loader(lookup, ShortVector.class, SHORTS, memory);
            STORE_INTS = storer(lookup, IntVector.class, memory);
            STORE_SHORTS = storer(lookup, ShortVector.class, memory);
        }
        catch (final ReflectiveOperationException ex)
        {
            throw new ExceptionInInitializerError(ex);
        }
    }

    private VectorMemory()
    {
    }

    private static MethodHandle loader(
        final MethodHandles.Lookup lookup, final Class<?> vector, final VectorSpecies<?> species,
        final Class<?> memory)
        throws ReflectiveOperationException
    {
        final MethodType type = MethodType.methodType(
            vector, VectorSpecies.class, memory, HAS_SEGMENTS ? long.class : int.class, ByteOrder.class);
        final MethodHandle load = lookup.findStatic(
            vector, HAS_SEGMENTS ? "fromMemorySegment" : "fromByteBuffer", type);

        return MethodHandles.insertArguments(MethodHandles.insertArguments(load, 3, ORDER), 0, species)
            .asType(MethodType.methodType(vector, Object.class, int.class));
    }

    private static MethodHandle storer(
        final MethodHandles.Lookup lookup, final Class<?> vector, final Class<?> memory)
        throws ReflectiveOperationException
    {
        final MethodType type = MethodType.methodType(
            void.class, memory, HAS_SEGMENTS ? long.class : int.class, ByteOrder.class);
        final MethodHandle store = lookup.findVirtual(
            vector, HAS_SEGMENTS ? "intoMemorySegment" : "intoByteBuffer", type);

        return MethodHandles.insertArguments(store, 3, ORDER)
            .asType(MethodType.methodType(void.class, vector, Object.class, int.class));
    }

    /**
     * Memory in the form that this JVM's vectors read.
     *
     * @param view direct buffer.
     * @return window over the same bytes.
     */
    static Object windowOf(final ByteBuffer view)
    {
        try
        {
            return (Object)OF_BUFFER.invokeExact(view);
        }
        catch (final RuntimeException | Error ex)
        {
            throw ex;
        }
        catch (final Throwable ex)
        {
            throw new IllegalStateException("no window over " + view, ex);
        }
    }

    static IntVector loadInts(final Object window, final int offset) throws Throwable
    {
        return (IntVector)LOAD_INTS.invokeExact(window, offset);
    }

    static ShortVector loadShorts(final Object window, final int offset) throws Throwable
    {
        return (ShortVector)LOAD_SHORTS.invokeExact(window, offset);
    }

    static void store(final Object window, final int offset, final IntVector values) throws Throwable
    {
        STORE_INTS.invokeExact(values, window, offset);
    }

    static void store(final Object window, final int offset, final ShortVector values) throws Throwable
    {
        STORE_SHORTS.invokeExact(values, window, offset);
    }
}
