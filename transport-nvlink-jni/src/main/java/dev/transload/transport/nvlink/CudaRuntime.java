/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.nvlink;

import dev.transload.spi.DeviceRuntime;
import dev.transload.spi.MemoryKind;
import dev.transload.spi.RuntimeDevice;
import dev.transload.spi.TransportUnavailableException;
import dev.transload.transport.nvlink.cuda.CudaDevice;
import dev.transload.transport.nvlink.cuda.CudaDriver;
import dev.transload.transport.nvlink.cuda.CudaException;
import dev.transload.transport.nvlink.cuda.CudaSpan;
import dev.transload.transport.nvlink.cuda.CudaStream;

/** Access to NVIDIA GPUs for transports that use a library of their own to move data in GPU memory. */
public final class CudaRuntime implements DeviceRuntime
{
    /** Memory that a library exports, or registers with a card, shares none of the driver's blocks. */
    private static final long UNIT = 2 << 20;

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

    @Override
    public RuntimeDevice open(final String library, final int ordinal)
    {
        final CudaDriver driver = library.isEmpty() ? CudaDriver.openedOrSystems() : CudaDriver.open(library);
        if (ordinal < 0 || ordinal >= driver.deviceCount())
        {
            throw new TransportUnavailableException("there is no device " + ordinal + ": this process sees " +
                driver.deviceCount(), null);
        }

        return new Gpu(driver.device(ordinal));
    }

    static RuntimeDevice.WriteOrder order(final int writeOrdering, final int flushOptions)
    {
        return writeOrdering >= CudaDevice.ORDERED_FOR_OWNER ? RuntimeDevice.WriteOrder.ORDERED :
            0 != (flushOptions & CudaDevice.FLUSH_BY_HOST) ? RuntimeDevice.WriteOrder.FLUSHED :
            RuntimeDevice.WriteOrder.UNKNOWN;
    }

    private record Gpu(CudaDevice device) implements RuntimeDevice
    {
        @Override
        public int ordinal()
        {
            return device.ordinal();
        }

        @Override
        public String describe()
        {
            return device.describe();
        }

        @Override
        public void bind()
        {
            device.makeCurrent();
        }

        @Override
        public long allocate(final long length)
        {
            final long bytes = length + UNIT - 1 & -UNIT;
            final long address;
            try
            {
                address = device.allocate(bytes);
            }
            catch (final CudaException ex)
            {
                throw ex.isOutOfMemory() ? new TransportUnavailableException(length + " bytes were asked for on " +
                    device.describe() + ", " + device.availableBytes() +
                    " are free: ask for smaller regions, or end what else uses the device", ex) : ex;
            }

            try (CudaStream stream = device.openStream())
            {
                stream.zero(address, bytes);
                return address;
            }
            catch (final CudaException ex)
            {
                device.free(address);
                throw ex;
            }
        }

        @Override
        public void free(final long address)
        {
            device.free(address);
        }

        @Override
        public void requireOwn(final long address, final long length)
        {
            CudaSpan.of(device, address, length);
        }

        @Override
        public WriteOrder writeOrder()
        {
            return order(
                device.attribute(CudaDevice.WRITE_ORDERING), device.attribute(CudaDevice.FLUSH_OPTIONS));
        }

        @Override
        public void flushWrites()
        {
            device.flushWrites();
        }

        @Override
        public boolean isHostAddressable()
        {
            // The emulator keeps the CPU from the addresses of its devices, too.
            return false;
        }

        @Override
        public boolean isEmulated()
        {
            return device.driver().isEmulated();
        }
    }
}
