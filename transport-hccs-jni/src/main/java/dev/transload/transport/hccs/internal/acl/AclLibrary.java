/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.hccs.internal.acl;

import dev.transload.natives.BundledLibrary;
import dev.transload.spi.TransportUnavailableException;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.StringJoiner;

/** The ACL runtime of this process: one library, opened once and for good. */
public final class AclLibrary
{
    /** Stands for the libraries that CANN installs, newest first. */
    public static final String DEFAULT_LIBRARY = "auto";

    private static final List<String> INSTALLED = List.of("libacl_rt.so", "libascendcl.so");
    private static final String SHIM = "transload-acl";
    private static final String UNKNOWN = "unknown";

    /** ACL_RT_DEVS_TOPOLOGY_…: HCCS, PCIe switch, reserved, host bridge, processors, package, HCCS switch. */
    private static final Map<Long, String> LINKS = Map.of(
        0x01L, "HCCS", 0x02L, "PIX", 0x04L, "PIB", 0x08L, "PHB", 0x10L, "SYS", 0x20L, "SIO", 0x40L, "HCCS_SW");

    private static boolean isShimLoaded;
    private static AclLibrary opened;

    private final String library;
    private final int emulatorVersion;
    private final String cannVersion;
    private final String socName;
    private final AclDevice[] devices;

    private AclLibrary(final String library)
    {
        this.library = library;
        this.emulatorVersion = AclCalls.emulatorVersion();
        final int initialized = AclCalls.init();
        AclException.check(where(), AclCode.REPEAT_INITIALIZE == initialized ? AclCalls.SUCCESS : initialized);
        this.cannVersion = known(AclCalls.cannVersion());
        this.socName = known(AclCalls.socName());
        this.devices = new AclDevice[(int)AclException.value(where(), AclCalls.deviceCount())];
    }

    /**
     * Open the runtime; every later call gives the same one.
     *
     * @param library name or path of its library, or {@link #DEFAULT_LIBRARY}.
     * @return the runtime, initialized.
     * @throws TransportUnavailableException in one sentence: without the shim, the library or a device that can be
     *                                       used, and for a second library in one process.
     */
    public static synchronized AclLibrary open(final String library)
    {
        if (null != opened)
        {
            if (!opened.library.equals(library))
            {
                throw new TransportUnavailableException("this process has opened the ACL runtime " + opened.library +
                    ", it cannot open " + library + " too: use one value of transload.hccs.library", null);
            }

            return opened;
        }

        loadShim();
        openAny(library);
        final AclLibrary runtime;
        try
        {
            runtime = new AclLibrary(library);
        }
        catch (final AclException ex)
        {
            throw new TransportUnavailableException("the ACL runtime " + library + " finds no usable NPU: " +
                ex.getMessage(), ex);
        }

        final String obstacle = SocNames.obstacle(runtime.socName);
        if (null != obstacle)
        {
            throw new TransportUnavailableException(runtime.describe() + ": " + obstacle, null);
        }

        opened = runtime;
        return opened;
    }

    /**
     * What it is, for reports.
     *
     * @return such as {@code CANN 8.3.RC1, SoC Ascend910B3}; of an emulator, with that word.
     */
    public String describe()
    {
        return (isEmulated() ? "ACL emulator " + emulatorVersion + " as " : "") + "CANN " + cannVersion + ", SoC " +
            socName;
    }

    /** Whether its devices are emulated: the library says so by exporting {@code tl_emulator_version}. */
    public boolean isEmulated()
    {
        return 0 != emulatorVersion;
    }

    /**
     * What the devices are.
     *
     * @return such as {@code Ascend910B3}.
     */
    public String socName()
    {
        return socName;
    }

    /**
     * Version of CANN, as the library tells it.
     *
     * @return such as {@code 8.3.RC1}, or "unknown".
     */
    public String cannVersion()
    {
        return cannVersion;
    }

    /**
     * Where the library was found.
     *
     * @return path of its file, or what it was opened by.
     */
    public String path()
    {
        final String path = AclCalls.libraryPath();
        return null == path ? library : path;
    }

    /**
     * How two devices are connected, in the words of the runtime's constants.
     *
     * @param from ordinal.
     * @param to   ordinal of another device.
     * @return such as {@code HCCS}, {@code PIX} or {@code SYS}; "unknown" where the runtime does not tell.
     */
    public String link(final int from, final int to)
    {
        final long value = AclCalls.topology(from, to);
        return -AclCode.NOT_SUPPORTED == value ? UNKNOWN :
            LINKS.getOrDefault(AclException.value(where(), value), "topology " + value);
    }

    /** Devices that this process may use; {@code ASCEND_RT_VISIBLE_DEVICES} hides others, and numbers the rest anew. */
    public int deviceCount()
    {
        return devices.length;
    }

    /**
     * A device.
     *
     * @param ordinal in [0, {@link #deviceCount()}).
     * @return the device.
     */
    public AclDevice device(final int ordinal)
    {
        synchronized (devices)
        {
            if (null == devices[ordinal])
            {
                devices[ordinal] = new AclDevice(this, ordinal);
            }

            return devices[ordinal];
        }
    }

    /**
     * Whether processes can share memory of devices, which CANN lets them from 8.2 or 8.3 on.
     *
     * @return true if the library has all of its functions.
     */
    public boolean canShare()
    {
        return AclCalls.has("aclrtIpcMemGetExportKey") && AclCalls.has("aclrtIpcMemSetImportPid") &&
            AclCalls.has("aclrtIpcMemImportByKey") && AclCalls.has("aclrtIpcMemClose");
    }

    /**
     * Whether devices can add to memory, their own or a peer's.
     *
     * @return true if the library has the function.
     */
    public boolean canReduce()
    {
        return AclCalls.has("aclrtReduceAsync");
    }

    private String where()
    {
        return isEmulated() ? library + " (an emulator)" : library;
    }

    private static String known(final String text)
    {
        return null == text || text.isBlank() ? UNKNOWN : text;
    }

    private static void openAny(final String library)
    {
        final StringJoiner problems = new StringJoiner("; ");
        for (final String name : DEFAULT_LIBRARY.equals(library) ? INSTALLED : List.of(library))
        {
            final String problem = AclCalls.open(name);
            if (null == problem)
            {
                return;
            }

            problems.add(problem);
        }

        throw new TransportUnavailableException("the ACL runtime " + library + " cannot be opened (" + problems +
            "): install CANN 8.3 or newer and source its set_env.sh, or set transload.hccs.library to its path", null);
    }

    private static void loadShim()
    {
        if (isShimLoaded)
        {
            return;
        }

        try
        {
            BundledLibrary.load(AclLibrary.class, SHIM, System::load);
            isShimLoaded = true;
        }
        catch (final IOException | UnsatisfiedLinkError ex)
        {
            throw new TransportUnavailableException("the shim of the transport hccs cannot be loaded (" +
                ex.getMessage() + ")", ex);
        }
    }
}
