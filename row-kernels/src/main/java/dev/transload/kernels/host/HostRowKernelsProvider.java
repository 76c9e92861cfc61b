/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.kernels.host;

import dev.transload.kernels.RowKernels;
import dev.transload.kernels.RowKernelsProvider;
import dev.transload.spi.ConfigOption;
import dev.transload.spi.ConfigurationException;
import dev.transload.spi.MemoryKind;
import java.lang.module.ModuleFinder;
import java.util.List;
import java.util.Map;
import org.agrona.UnsafeApi;

/**
 * Row kernels for host memory. There are three implementations: the native library of the jar, the Vector API, and
 * scalar code. By default, the first of them that works on this host is used. All three give bitwise equal results.
 */
public final class HostRowKernelsProvider implements RowKernelsProvider
{
    /**
     * Option that selects the implementation. {@code auto} takes the fastest implementation that works on this host.
     */
    public static final ConfigOption MODE = new ConfigOption(
        "mode", "auto", "auto, native, scalar or vector",
        "How row kernels of host memory are executed; all modes give the same bits. native: by a library, which " +
        "needs a build with a C compiler and, on x86-64, a CPU with AVX2 and FMA. vector: by the module " +
        "jdk.incubator.vector, which the command line adds to the ranks that it starts. scalar: by plain Java. auto: " +
        "native, else vector, else scalar. The engine refuses to open if the chosen mode is not available.");

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

    /**
     * Returns the JVM flags that the fastest kernels of a mode need. The Vector API needs an incubator module, and the
     * JVM prints a warning when it starts with such a module. Native kernels need no flags.
     *
     * @param mode value of {@link #MODE}.
     * @return flags; empty if no flags are needed, or if this Java version does not have the incubator module.
     */
    public static List<String> flagsOf(final String mode)
    {
        final boolean needsVectors = "vector".equals(mode) ||
            MODE.defaultValue().equals(mode) && null != NativeKernels.unavailableBecause();

        return needsVectors && ModuleFinder.ofSystem().find(VectorSupport.MODULE).isPresent() ?
            List.of("--add-modules", VectorSupport.MODULE) : List.of();
    }

    /**
     * Returns why native kernels are not available in this JVM.
     *
     * @return reason, or null if native kernels are available.
     */
    public static String portableBecause()
    {
        return NativeKernels.unavailableBecause();
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
            case "auto" -> null == NativeKernels.unavailableBecause() ? new NativeArithmetic() : portable();
            case "native" ->
            {
                require(mode, NativeKernels.unavailableBecause());
                yield new NativeArithmetic();
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
