/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.nvlink;

import dev.transload.spi.TransportUnavailableException;
import dev.transload.transport.nvlink.cuda.CudaDevice;
import dev.transload.transport.nvlink.cuda.CudaDriver;
import dev.transload.transport.nvlink.cuda.CudaException;
import dev.transload.transport.nvlink.cuda.CudaStream;

import java.util.UUID;
import java.util.function.Supplier;

/** Which GPU a rank drives, and whether it can. */
final class Devices
{
    private static final int MIN_COMPUTE_MAJOR = 8;

    private Devices()
    {
    }

    /**
     * The device of a rank, with its kernels loaded.
     *
     * @param options of the transport.
     * @param rank    that drives it.
     * @return the device.
     * @throws TransportUnavailableException in one sentence, when there is none that can be driven.
     */
    static CudaDevice select(final NvlinkOptions options, final int rank)
    {
        final CudaDriver driver = driver(options);
        return device(driver, options.device(rank, driver.deviceCount()));
    }

    /**
     * Open something of a device, which takes some of its memory.
     *
     * @param <T>    what is opened.
     * @param opener of it.
     * @return what it opened.
     * @throws TransportUnavailableException in one sentence, when the device lacks the memory.
     */
    static <T> T open(final Supplier<T> opener)
    {
        try
        {
            return opener.get();
        }
        catch (final CudaException ex)
        {
            throw ex.isOutOfMemory() ? new TransportUnavailableException("transport nvlink: " + ex.getMessage() +
                ": end what else uses the device", ex) : ex;
        }
    }

    /**
     * The driver, which shows some device.
     *
     * @param options of the transport.
     * @return the driver.
     * @throws TransportUnavailableException in one sentence, when it shows none.
     */
    static CudaDriver driver(final NvlinkOptions options)
    {
        final CudaDriver driver = CudaDriver.open(options.library());
        if (0 == driver.deviceCount())
        {
            throw new TransportUnavailableException("the " + driver.describe() +
                " shows no GPU to this process: look at nvidia-smi and at CUDA_VISIBLE_DEVICES", null);
        }

        return driver;
    }

    /**
     * A device with its kernels loaded.
     *
     * @param driver  of this process.
     * @param ordinal of the device.
     * @return the device.
     * @throws TransportUnavailableException in one sentence, when it cannot be driven.
     */
    static CudaDevice device(final CudaDriver driver, final int ordinal)
    {
        final int count = driver.deviceCount();
        if (ordinal < 0 || ordinal >= count)
        {
            throw new TransportUnavailableException("there is no device " + ordinal + ": this process sees " + count +
                ", set transload.nvlink.device to auto or to a number in [0, " + count + ")", null);
        }

        final CudaDevice device = driver.device(ordinal);
        final int major = device.attribute(CudaDevice.COMPUTE_CAPABILITY_MAJOR);
        if (major < MIN_COMPUTE_MAJOR)
        {
            throw new TransportUnavailableException(device.describe() + " has compute capability " + major + "." +
                device.attribute(CudaDevice.COMPUTE_CAPABILITY_MINOR) + ": the kernels need 8.0 (A100) or newer", null);
        }

        if (0 == device.attribute(CudaDevice.CAN_USE_HOST_POINTER))
        {
            throw new TransportUnavailableException(device.describe() + " cannot address host memory where the CPU " +
                "does: the transport nvlink needs a system on which it can", null);
        }

        device.module(CudaStream.KERNELS);
        return device;
    }

    /** The device of this process with a UUID, or null: it has gone, or is hidden by {@code CUDA_VISIBLE_DEVICES}. */
    static CudaDevice find(final CudaDriver driver, final UUID uuid)
    {
        for (int ordinal = 0; ordinal < driver.deviceCount(); ordinal++)
        {
            if (driver.device(ordinal).uuid().equals(uuid))
            {
                return driver.device(ordinal);
            }
        }

        return null;
    }
}
