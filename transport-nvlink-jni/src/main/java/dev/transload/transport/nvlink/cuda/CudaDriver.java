/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.nvlink.cuda;

import dev.transload.spi.TransportUnavailableException;
import dev.transload.natives.BundledLibrary;

import java.io.IOException;

/** The CUDA driver of this process: one library, opened once and for good. */
public final class CudaDriver
{
    /** What the dynamic linker finds where NVIDIA's driver is installed. */
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
     * Open the driver; every later call gives the same one.
     *
     * @param library name or path of its library.
     * @return the driver, initialized.
     * @throws TransportUnavailableException in one sentence: without the shim, the library or a device that works, and
     *                                       for a second library in one process.
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
     * The driver that this process uses, whatever its name; else the system's.
     *
     * @return the driver, initialized.
     * @throws TransportUnavailableException as {@link #open}.
     */
    public static synchronized CudaDriver openedOrSystems()
    {
        return null != opened ? opened : open(DEFAULT_LIBRARY);
    }

    /**
     * Newest CUDA that the driver knows.
     *
     * @return such as {@code 12.4}.
     */
    public String version()
    {
        return version / CODE_MAJOR + "." + version % CODE_MAJOR / CODE_MINOR;
    }

    /**
     * What it is, for reports.
     *
     * @return such as {@code CUDA driver 12.4}.
     */
    public String describe()
    {
        return (isEmulated() ? "CUDA emulator " + emulatorVersion + " as driver " : "CUDA driver ") + version();
    }

    /** Whether its devices are emulated: the library says so by exporting {@code tl_emulator_version}. */
    public boolean isEmulated()
    {
        return 0 != emulatorVersion;
    }

    /** Devices that this process may use; {@code CUDA_VISIBLE_DEVICES} hides others. */
    public int deviceCount()
    {
        return devices.length;
    }

    /**
     * A device, whose primary context is retained from the first call on until the process ends.
     *
     * @param ordinal in [0, {@link #deviceCount()}).
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

    /** Host memory that devices address besides what was allocated for them. */
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
