/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.hccs;

import dev.transload.spi.ConfigOption;
import dev.transload.spi.TransportConfig;
import dev.transload.transport.base.AgentIdle;
import dev.transload.transport.base.MappedFile;
import dev.transload.transport.hccs.internal.acl.AclLibrary;

import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * The validated options of the provider.
 *
 * @param library         name or path of the ACL runtime, or {@link AclLibrary#DEFAULT_LIBRARY}.
 * @param device          ordinal, or {@link #AUTO_DEVICE}.
 * @param stagingBytes    page-locked memory of each channel, through which host memory goes to and from devices.
 * @param kernelBytes     page-locked memory, and as much of the device's, of all row kernels of a rank.
 * @param reduce          who sums rows, {@link #REDUCE}.
 * @param regionDirectory under which host memory for peers lives.
 * @param timeoutNs       after which work of the device that does not go on counts as failed.
 * @param idle            idle strategy of the transport's thread.
 * @param maxParkNs       longest sleep of the strategy {@code backoff}.
 */
record HccsOptions(
    String library,
    int device,
    int stagingBytes,
    long kernelBytes,
    String reduce,
    Path regionDirectory,
    long timeoutNs,
    String idle,
    long maxParkNs)
{
    static final String TRANSPORT = "hccs";
    static final int AUTO_DEVICE = -1;

    static final ConfigOption LIBRARY = new ConfigOption("library", AclLibrary.DEFAULT_LIBRARY,
        "auto, a name that the dynamic linker finds, or a path",
        "Library of the ACL runtime. All transports of a process use the same library. auto: libacl_rt.so, else " +
        "libascendcl.so.");
    static final ConfigOption DEVICE = new ConfigOption("device", "auto", "auto, or the ordinal of a device",
        "NPU of this rank. auto: the ranks take the visible devices in turn.");
    static final ConfigOption STAGING = new ConfigOption("staging-kb", "1024", "KiB in [64, 262144]",
        "Page-locked memory per channel, through which data moves between host memory and devices. For access to a " +
        "peer's device, the channel also takes the same amount of device memory.");
    static final ConfigOption KERNEL_STAGING = new ConfigOption("kernel-staging-kb", "65536", "KiB in [1024, 4194304]",
        "Limit of the page-locked memory of a rank through which row kernels bring rows to the CPU. Row kernels also " +
        "use the same amount of device memory. Each thread has four blocks of this memory, each of at most 4 MiB.");
    static final ConfigOption REDUCE = new ConfigOption("reduce", "host", "host or device",
        "Who sums rows. host: the CPU. device: the device computes unweighted sums of rows of the same type, if a " +
        "probe shows that it adds them correctly. Sums of BF16 rows then differ in bits from those of the CPU.");
    static final ConfigOption TIMEOUT = new ConfigOption("timeout-ms", "30000", "milliseconds in [10, 3600000]",
        "If work on the device makes no progress for this time, the channel of this work fails.");

    static final List<ConfigOption> ALL =
        List.of(LIBRARY, DEVICE, STAGING, KERNEL_STAGING, REDUCE, MappedFile.DIRECTORY, TIMEOUT, AgentIdle.OPTION,
            AgentIdle.MAX_PARK);

    private static final String BY_DEVICE = "device";
    private static final int MAX_DEVICE = 1023;
    private static final int KIB = 1024;
    private static final int MAX_PATH_LENGTH = 160;

    /** Blocks that row kernels work on in turn. */
    private static final int KERNEL_BLOCKS = 4;
    private static final long MIN_BLOCK_BYTES = 64 * KIB;

    /** Of larger ones the first rows would wait longer for the CPU. */
    private static final long MAX_BLOCK_BYTES = 4096 * KIB;

    static HccsOptions of(final TransportConfig config)
    {
        config.refuseUnknownOptions(TRANSPORT, ALL);
        return new HccsOptions(
            text(config, LIBRARY),
            DEVICE.defaultValue().equals(config.text(DEVICE)) ? AUTO_DEVICE :
                (int)config.number(TRANSPORT, DEVICE, 0, MAX_DEVICE),
            KIB * (int)config.number(TRANSPORT, STAGING, 64, 256 * KIB),
            KIB * config.number(TRANSPORT, KERNEL_STAGING, KIB, 4L * KIB * KIB),
            reduceIn(config),
            MappedFile.directoryIn(config, TRANSPORT),
            TimeUnit.MILLISECONDS.toNanos(config.number(TRANSPORT, TIMEOUT, 10, TimeUnit.HOURS.toMillis(1))),
            AgentIdle.nameIn(config, TRANSPORT),
            AgentIdle.maxParkNsIn(config, TRANSPORT));
    }

    /** Ordinal of the device of a rank. */
    int device(final int rank, final int deviceCount)
    {
        return AUTO_DEVICE == device ? rank % deviceCount : device;
    }

    /** Bytes of one block of one of several row kernels. */
    long kernelBlockBytes(final int sharers)
    {
        return Math.max(MIN_BLOCK_BYTES, Math.min(MAX_BLOCK_BYTES, kernelBytes / sharers / KERNEL_BLOCKS));
    }

    /** Whether sums are the device's, where it can. */
    boolean isDeviceSumming()
    {
        return BY_DEVICE.equals(reduce);
    }

    /** The time-out as the runtime takes it. */
    int timeoutMs()
    {
        return (int)TimeUnit.NANOSECONDS.toMillis(timeoutNs);
    }

    private static String reduceIn(final TransportConfig config)
    {
        final String text = config.text(REDUCE);
        if (!REDUCE.defaultValue().equals(text) && !BY_DEVICE.equals(text))
        {
            throw REDUCE.refuse(TRANSPORT, text);
        }

        return text;
    }

    private static String text(final TransportConfig config, final ConfigOption option)
    {
        final String text = config.text(option);
        if (text.isBlank() || text.length() > MAX_PATH_LENGTH || text.indexOf('\0') >= 0)
        {
            throw option.refuse(TRANSPORT, text);
        }

        return text;
    }
}
