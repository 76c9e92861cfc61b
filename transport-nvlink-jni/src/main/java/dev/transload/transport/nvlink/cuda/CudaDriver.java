/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.nvlink.cuda;

import dev.transload.spi.TransportUnavailableException;
import dev.transload.natives.BundledLibrary;

import java.io.IOException;

/** CUDA driver of this process. Its library is opened once and never closed. */
public final class CudaDriver
{
    /** Library name that the dynamic linker finds if NVIDIA's driver is installed. */
    public static final String DEFAULT_LIBRARY = "libcuda.so.1";

    private static final String SHIM = "transload-cuda";
    private static final int CODE_MAJOR = 1000;
    private static final int CODE_MINOR = 10;

    private static boolean isShimLoaded;
    private static CudaDriver opened;

    private final String library;
    private final int version;
    private final int emulatorVersion;
    private final CudaDevice[] devices;
    private final HostRegistrations registrations = new HostRegistrations();

    private CudaDriver(final String library)
    {
        this.library = library;
        this.emulatorVersion = CudaCalls.emulatorVersion();
        CudaException.check("cuInit", library, CudaCalls.init());
        this.version = (int)CudaException.value("cuDriverGetVersion", library, CudaCalls.driverVersion());
        this.devices = new CudaDevice[(int)CudaException.value("cuDeviceGetCount", library, CudaCalls.deviceCount())];
    }

    /**
     * Opens the driver. Later calls return the same object.
     *
     * @param library name or path of the driver's library.
     * @return initialized driver.
     * @throws TransportUnavailableException if this module's native library, the driver's library or a working device
     *                                       is missing, or if a different driver library was opened earlier.
     */
    public static synchronized CudaDriver open(final String library)
    {
        if (null != opened)
        {
            if (!opened.library.equals(library))
            {
                throw new TransportUnavailableException("this process has opened the CUDA driver " + opened.library +
                    ", it cannot open " + library + " too: use one value of transload.nvlink.library", null);
            }

            return opened;
        }

        loadShim();
        final String problem = CudaCalls.open(library);
        if (null != problem)
        {
            throw new TransportUnavailableException("the CUDA driver " + library + " cannot be opened (" + problem +
                "): install NVIDIA's driver, version 470 or newer, or set transload.nvlink.library to its path", null);
        }

        try
        {
            opened = new CudaDriver(library);
            return opened;
        }
        catch (final CudaException ex)
        {
            throw new TransportUnavailableException("the CUDA driver " + library + " finds no usable GPU: " +
                ex.getMessage(), ex);
        }
    }

    /**
     * Returns the driver that this process has already opened, whatever the name of the library. If there is none, this
     * method opens the system's driver.
     *
     * @return initialized driver.
     * @throws TransportUnavailableException if there is no open driver and {@link #open} throws this exception.
     */
    public static synchronized CudaDriver openedOrSystems()
    {
        return null != opened ? opened : open(DEFAULT_LIBRARY);
    }

    /**
     * Returns the newest CUDA version that the driver supports.
     *
     * @return version such as {@code 12.4}.
     */
    public String version()
    {
        return version / CODE_MAJOR + "." + version % CODE_MAJOR / CODE_MINOR;
    }

    /**
     * Describes the driver, for reports.
     *
     * @return text such as {@code CUDA driver 12.4}.
     */
    public String describe()
    {
        return (isEmulated() ? "CUDA emulator " + emulatorVersion + " as driver " : "CUDA driver ") + version();
    }

    /** Returns whether the devices are emulated. The library of an emulator exports {@code tl_emulator_version}. */
    public boolean isEmulated()
    {
        return 0 != emulatorVersion;
    }

    /** Returns the number of devices that this process may use. {@code CUDA_VISIBLE_DEVICES} hides devices. */
    public int deviceCount()
    {
        return devices.length;
    }

    /**
     * Returns a device. The first operation that needs the device's primary context retains the context until the
     * process ends ({@link CudaDevice#context()}).
     *
     * @param ordinal ordinal in [0, {@link #deviceCount()}).
     * @return the device.
     */
    public CudaDevice device(final int ordinal)
    {
        synchronized (devices)
        {
            if (null == devices[ordinal])
            {
                devices[ordinal] = new CudaDevice(this, ordinal);
            }

            return devices[ordinal];
        }
    }

    /** Returns the registrations of host memory that devices can access. */
    public HostRegistrations registrations()
    {
        return registrations;
    }

    private static void loadShim()
    {
        if (isShimLoaded)
        {
            return;
        }

        try
        {
            BundledLibrary.load(CudaDriver.class, SHIM, System::load);
            isShimLoaded = true;
        }
        catch (final IOException | UnsatisfiedLinkError ex)
        {
            throw new TransportUnavailableException("the shim of the transport nvlink cannot be loaded (" +
                ex.getMessage() + ")", ex);
        }
    }
}
