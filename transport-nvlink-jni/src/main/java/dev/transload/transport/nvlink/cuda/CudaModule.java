/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.nvlink.cuda;

import dev.transload.spi.TransportUnavailableException;

import java.io.IOException;
import java.io.InputStream;
import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import org.agrona.BufferUtil;

/** Kernels of one PTX file, compiled by the driver for one device. The module stays loaded until the process ends. */
public final class CudaModule
{
    private final CudaDevice device;
    private final long handle;
    private final Map<String, Long> functions = new HashMap<>();

    private CudaModule(final CudaDevice device, final long handle)
    {
        this.device = device;
        this.handle = handle;
    }

    static CudaModule load(final CudaDevice device, final String resource)
    {
        final ByteBuffer text = terminated(read(resource));
        final long module = CudaCalls.moduleLoad(device.context(), BufferUtil.address(text));
        Reference.reachabilityFence(text);
        if (module < 0)
        {
            throw new TransportUnavailableException(device.describe() + " refuses the kernels " + resource + " (" +
                CudaException.describe((int)-module) + "), driver " + device.driver().version() +
                ": they need compute capability 8.0 or newer, and a driver for CUDA 11.4 or newer",
                new CudaException("cuModuleLoadData", device.describe(), (int)-module));
        }

        return new CudaModule(device, module);
    }

    /** Returns the handle of a kernel. */
    public synchronized long function(final String name)
    {
        return functions.computeIfAbsent(name, this::find);
    }

    private long find(final String name)
    {
        final ByteBuffer text = terminated(name.getBytes(StandardCharsets.US_ASCII));
        final long function = CudaCalls.moduleFunction(device.context(), handle, BufferUtil.address(text));
        Reference.reachabilityFence(text);
        return device.value("cuModuleGetFunction of " + name, function);
    }

    private static byte[] read(final String resource)
    {
        try (InputStream stream = CudaModule.class.getResourceAsStream(resource))
        {
            if (null == stream)
            {
                throw new IOException("the jar has no " + resource);
            }

            return stream.readAllBytes();
        }
        catch (final IOException ex)
        {
            throw new TransportUnavailableException("the kernels of the transport nvlink cannot be read (" +
                ex.getMessage() + "): the jar is damaged", ex);
        }
    }

    private static ByteBuffer terminated(final byte[] text)
    {
        return ByteBuffer.allocateDirect(text.length + 1).put(text);
    }
}
