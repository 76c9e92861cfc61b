/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.nvlink;

import dev.transload.kernels.RowKernels;
import dev.transload.kernels.RowKernelsProvider;
import dev.transload.spi.MemoryKind;
import dev.transload.spi.TransportConfig;
import dev.transload.spi.TransportException;
import dev.transload.transport.nvlink.cuda.CudaDriver;
import dev.transload.transport.nvlink.internal.kernels.CudaRowKernels;

import java.util.Map;

/** Provider of row kernels for CUDA memory. It accepts the options of the transport {@code nvlink}. */
public final class CudaRowKernelsProvider implements RowKernelsProvider
{
    @Override
    public MemoryKind kind()
    {
        return MemoryKind.CUDA;
    }

    @Override
    public String section()
    {
        return NvlinkOptions.TRANSPORT;
    }

    /** {@inheritDoc} Only the first device is checked; an invalid ordinal is refused when the device is opened. */
    @Override
    public String unavailableBecause(final Map<String, String> options)
    {
        try
        {
            Devices.device(Devices.driver(read(options)), 0);
            return null;
        }
        catch (final TransportException ex)
        {
            return ex.getMessage();
        }
    }

    @Override
    public int devices(final Map<String, String> options)
    {
        return Devices.driver(read(options)).deviceCount();
    }

    /** {@inheritDoc} The result contains only the option for the number of multiprocessors that kernels use. */
    @Override
    public Map<String, String> latencyOptions()
    {
        return Map.of(NvlinkOptions.KERNEL_SMS.key(), "64");
    }

    @Override
    public RowKernels open(final int device, final Map<String, String> options)
    {
        return open(device, 1, options);
    }

    @Override
    public RowKernels open(final int device, final int sharers, final Map<String, String> options)
    {
        final NvlinkOptions known = read(options);
        final CudaDriver driver = Devices.driver(known);
        final int sms = Math.max(1, known.kernelSms() / sharers);
        return Devices.open(() -> new CudaRowKernels(Devices.device(driver, device), sms, known.timeoutNs()));
    }

    private static NvlinkOptions read(final Map<String, String> options)
    {
        return NvlinkOptions.of(TransportConfig.builder().options(options).build());
    }
}
