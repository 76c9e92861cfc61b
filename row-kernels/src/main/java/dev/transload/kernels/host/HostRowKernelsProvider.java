/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.kernels.host;

import dev.transload.kernels.RowKernels;
import dev.transload.kernels.RowKernelsProvider;
import dev.transload.spi.ConfigOption;
import dev.transload.spi.ConfigurationException;
import dev.transload.spi.MemoryKind;
import java.util.Map;
import org.agrona.UnsafeApi;

/**
 * Row kernels of host memory: sums by a native library where the jar has one, all else with the Vector API where the
 * JVM offers it, scalar otherwise; with the same bits.
 */
public final class HostRowKernelsProvider implements RowKernelsProvider
{
    /** Which arithmetic is used; {@code auto} takes what is fastest of what works here and pays. */
    public static final ConfigOption MODE = new ConfigOption(
        "mode", "auto", "auto, native, scalar or vector",
        "Arithmetic of the host row kernels: auto sums natively where it can, and is scalar for the rest until " +
        "vectors are worth compiling; native does the same, vector uses vectors alone, from the first row on, and " +
        "these two refuse to open where they do not work.");

    private static final String SECTION = "kernels";

    @Override
    public MemoryKind kind()
    {
        return MemoryKind.HOST;
    }

    @Override
    public String section()
    {
        return SECTION;
    }

    @Override
    public int devices(final Map<String, String> options)
    {
        return 1;
    }

    @Override
    public String unavailableBecause(final Map<String, String> options)
    {
        try
        {
            return UnsafeApi.addressSize() > 0 ? null : "Agrona's UnsafeApi knows no size of an address";
        }
        catch (final LinkageError ex)
        {
            return "Agrona cannot reach raw memory (" + ex.getMessage() +
                "): start the JVM with --add-exports java.base/jdk.internal.misc=ALL-UNNAMED";
        }
    }

    @Override
    public RowKernels open(final int device, final Map<String, String> options)
    {
        if (0 != device)
        {
            throw new IllegalArgumentException("device = " + device + ": host memory is device 0");
        }

        for (final String key : options.keySet())
        {
            if (!MODE.key().equals(key))
            {
                throw new ConfigurationException("transload." + SECTION + "." + key +
                    " is not a key of the host row kernels: known is " + MODE.key());
            }
        }

        return new HostRowKernels(arithmetic(options.getOrDefault(MODE.key(), MODE.defaultValue())));
    }

    private static RowArithmetic arithmetic(final String mode)
    {
        return switch (mode)
        {
            case "auto" -> null == NativeSums.unavailableBecause() ? new NativeArithmetic(portable()) : portable();
            case "native" ->
            {
                require(mode, NativeSums.unavailableBecause());
                yield new NativeArithmetic(portable());
            }
            case "scalar" -> new ScalarArithmetic();
            case "vector" ->
            {
                require(mode, VectorSupport.unavailableBecause());
                yield new VectorArithmetic();
            }
            default -> throw MODE.refuse(SECTION, mode);
        };
    }

    private static RowArithmetic portable()
    {
        return null == VectorSupport.hopelessBecause() ? new AutoArithmetic() : new ScalarArithmetic();
    }

    private static void require(final String mode, final String reason)
    {
        if (null != reason)
        {
            throw new ConfigurationException(
                "transload." + SECTION + "." + MODE.key() + " = " + mode + " is not possible here: " + reason);
        }
    }
}
