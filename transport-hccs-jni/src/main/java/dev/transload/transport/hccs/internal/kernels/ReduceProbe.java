/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.hccs.internal.kernels;

import dev.transload.kernels.ElementType;
import dev.transload.transport.base.AddressView;
import dev.transload.transport.hccs.internal.acl.AclDevice;
import dev.transload.transport.hccs.internal.acl.AclException;
import dev.transload.transport.hccs.internal.acl.AclStream;
import dev.transload.transport.hccs.internal.acl.CopyKind;
import dev.transload.transport.hccs.internal.acl.Leftovers;
import dev.transload.transport.hccs.internal.acl.PinnedMemory;

import java.nio.ByteBuffer;
import java.util.Random;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Whether {@code aclrtReduceAsync} of a device adds as it must, found out by sums of numbers of many binades, of ties,
 * of signed zeroes and of subnormal numbers: F32 to nearest even, BF16 as the F32 sum rounded to nearest even. A type
 * that fails is summed by the CPU.
 */
final class ReduceProbe
{
    private static final Logger LOG = LoggerFactory.getLogger(ReduceProbe.class);
    private static final int ELEMENTS = 1024;
    private static final int ROWS = 4;
    private static final int TIMEOUT_MS = 10_000;
    private static final int EXPONENTS = 0x7F80;

    private final boolean addsF32;
    private final boolean addsBf16;

    private ReduceProbe(final boolean addsF32, final boolean addsBf16)
    {
        this.addsF32 = addsF32;
        this.addsBf16 = addsBf16;
    }

    /** Of a device that is not to sum at all. */
    static ReduceProbe none()
    {
        return new ReduceProbe(false, false);
    }

    /** Try. */
    static ReduceProbe of(final AclDevice device, final Leftovers leftovers)
    {
        if (!device.library().canReduce())
        {
            LOG.warn("{} has no aclrtReduceAsync: the CPU sums", device.library().describe());
            return none();
        }

        return new ReduceProbe(
            passes(device, ElementType.F32, leftovers), passes(device, ElementType.BF16, leftovers));
    }

    boolean adds(final ElementType type)
    {
        return ElementType.F32 == type ? addsF32 : addsBf16;
    }

    private static boolean passes(final AclDevice device, final ElementType type, final Leftovers leftovers)
    {
        try
        {
            final int wrong = tryOn(device, type, leftovers);
            if (wrong >= 0)
            {
                LOG.warn("{} sums {} otherwise than the CPU (sum {} of {}): the CPU sums them", device.describe(),
                    type, wrong, ELEMENTS);
            }

            return wrong < 0;
        }
        catch (final AclException ex)
        {
            LOG.warn("the CPU sums {}: {}", type, ex.getMessage());
            return false;
        }
    }

    /** The first element whose sum is wrong, or -1. */
    private static int tryOn(final AclDevice device, final ElementType type, final Leftovers leftovers)
    {
        final int length = ELEMENTS * type.bytes();
        final long memory = device.allocate((long)(ROWS + 1) * length, false);
        try (PinnedMemory pinned = device.allocatePinned((long)(ROWS + 1) * length))
        {
            final ByteBuffer view = AddressView.of(pinned.address(), (ROWS + 1) * length);
            final Random random = new Random(type.bytes());
            for (int i = ELEMENTS; i < (ROWS + 1) * ELEMENTS; i++)
            {
                write(view, i, type, number(random, i));
            }

            run(device, type, memory, pinned, length, leftovers);
            for (int i = 0; i < ELEMENTS; i++)
            {
                if (expected(view, i, type) != bits(view, i, type))
                {
                    return i;
                }
            }

            return -1;
        }
        finally
        {
            leftovers.giveBack("memory of a probe", () -> device.free(memory));
        }
    }

    private static void run(
        final AclDevice device,
        final ElementType type,
        final long memory,
        final PinnedMemory pinned,
        final int length,
        final Leftovers leftovers)
    {
        final int element = ElementType.F32 == type ? AclStream.FLOAT : AclStream.BF16;
        final AclStream stream = device.openStream();
        try
        {
            check(stream, stream.copy(
                CopyKind.HOST_TO_DEVICE, memory, pinned.address(), (long)(ROWS + 1) * length));
            for (int row = 1; row <= ROWS; row++)
            {
                check(stream, stream.add(element, memory, memory + (long)row * length, length));
            }

            check(stream, stream.copy(CopyKind.DEVICE_TO_HOST, pinned.address(), memory, length));
            stream.finish(TIMEOUT_MS);
        }
        finally
        {
            leftovers.giveBack("the stream of a probe", stream::close);
        }
    }

    private static void check(final AclStream stream, final int code)
    {
        if (0 != code)
        {
            throw stream.failure(code);
        }
    }

    private static int expected(final ByteBuffer view, final int column, final ElementType type)
    {
        float sum = 0;
        for (int row = 1; row <= ROWS; row++)
        {
            sum = rounded(sum + value(view, row * ELEMENTS + column, type), type);
        }

        final int bits = Float.floatToRawIntBits(sum);
        return ElementType.F32 == type ? bits : bits >>> Short.SIZE;
    }

    /** Finite; every eighth has a low exponent, every ninth is a zero, neighbours often lie half a unit apart. */
    private static float number(final Random random, final int index)
    {
        final int sign = random.nextInt(2) << 31;
        if (0 == index % 9)
        {
            return Float.intBitsToFloat(sign);
        }

        final int exponent = 0 == index % 8 ? random.nextInt(10) : 112 + random.nextInt(30);
        return Float.intBitsToFloat(sign | exponent << 23 | random.nextInt(1 << 23) & -(1 << random.nextInt(23)));
    }

    private static float rounded(final float value, final ElementType type)
    {
        final int bits = Float.floatToRawIntBits(value);
        final int half = 0x7FFF + (bits >>> Short.SIZE & 1);
        return ElementType.F32 == type || EXPONENTS == (bits >>> Short.SIZE & EXPONENTS) ? value :
            Float.intBitsToFloat(bits + half & -(1 << Short.SIZE));
    }

    private static void write(final ByteBuffer view, final int index, final ElementType type, final float value)
    {
        if (ElementType.F32 == type)
        {
            view.putFloat(index * Float.BYTES, value);
        }
        else
        {
            view.putShort(index * Short.BYTES, (short)(Float.floatToRawIntBits(value) >>> Short.SIZE));
        }
    }

    private static float value(final ByteBuffer view, final int index, final ElementType type)
    {
        return Float.intBitsToFloat(bits(view, index, type) << (ElementType.F32 == type ? 0 : Short.SIZE));
    }

    private static int bits(final ByteBuffer view, final int index, final ElementType type)
    {
        return ElementType.F32 == type ? view.getInt(index * Float.BYTES) :
            Short.toUnsignedInt(view.getShort(index * Short.BYTES));
    }
}
