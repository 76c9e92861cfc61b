/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.nvlink;

import dev.transload.spi.ConfigOption;
import dev.transload.spi.ConfigurationException;
import dev.transload.spi.TransportConfig;
import dev.transload.transport.base.AgentIdle;
import dev.transload.transport.base.MappedFile;
import dev.transload.transport.nvlink.cuda.CudaDriver;

import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * The validated options of the provider.
 *
 * @param library         name or path of the CUDA driver's library.
 * @param device          ordinal, or {@link #AUTO_DEVICE}.
 * @param streams         that the channels have at most.
 * @param sms             blocks of one launch, each of which takes a multiprocessor.
 * @param kernelSms       blocks of row kernels that run side by side.
 * @param regionDirectory under which host memory for peers lives.
 * @param timeoutNs       after which work of the device that does not go on counts as failed.
 * @param idle            idle strategy of the transport's thread.
 * @param maxParkNs       longest sleep of the strategy {@code backoff}.
 */
record NvlinkOptions(
    String library,
    int device,
    int streams,
    int sms,
    int kernelSms,
    Path regionDirectory,
    long timeoutNs,
    String idle,
    long maxParkNs)
{
    static final String TRANSPORT = "nvlink";
    static final int AUTO_DEVICE = -1;

    static final ConfigOption LIBRARY = new ConfigOption("library", CudaDriver.DEFAULT_LIBRARY,
        "a name that the dynamic linker finds, or a path",
        "Library of the CUDA driver. All transports of a process use the same library.");
    static final ConfigOption DEVICE = new ConfigOption("device", "auto", "auto, or the ordinal of a device",
        "GPU of this rank. auto: the ranks take the visible devices in turn.");
    static final ConfigOption STREAMS = new ConfigOption("streams", "auto", "auto, or a whole number in [1, 64]",
        "Largest number of CUDA streams of a rank. Each channel has its own stream until all streams are in use. " +
        "Further channels share streams. auto: 16.");
    static final ConfigOption SMS = new ConfigOption("sms", "8", "a whole number in [1, 128]",
        "Number of multiprocessors for one launch of a kernel that transfers data. Together, the transfers of a " +
        "stream use at most this number.");
    static final ConfigOption KERNEL_SMS = new ConfigOption("kernel-sms", "32", "a whole number in [1, 128]",
        "Number of multiprocessors for all row kernels of a rank, such as the sums of combine. Engine threads that " +
        "launch kernels at the same time get equal shares of this number, at least one. The low-latency engine " +
        "takes 64 unless this key is set.");
    static final ConfigOption TIMEOUT = new ConfigOption("timeout-ms", "30000", "milliseconds in [10, 3600000]",
        "If work on the device makes no progress for this time, the channel of this work fails.");

    static final List<ConfigOption> ALL = List.of(
        LIBRARY, DEVICE, STREAMS, SMS, KERNEL_SMS, MappedFile.DIRECTORY, TIMEOUT, AgentIdle.OPTION,
        AgentIdle.MAX_PARK);

    /** Options of former versions. */
    private static final List<String> GONE =
        List.of("proxy", "proxy-sms", "proxy-idle-us", "proxy-residency-ms", "proxy-max-bytes");

    private static final int MAX_DEVICE = 1023;
    private static final int MAX_STREAMS = 64;

    /** For four threads with four channels each, or a channel to each of sixteen ranks. */
    private static final int AUTO_STREAMS = 16;

    private static final int MAX_SMS = 128;
    private static final int MAX_PATH_LENGTH = 160;

    static NvlinkOptions of(final TransportConfig config)
    {
        refuseGoneOptions(config);
        config.refuseUnknownOptions(TRANSPORT, ALL);
        return new NvlinkOptions(
            text(config, LIBRARY),
            DEVICE.defaultValue().equals(config.text(DEVICE)) ? AUTO_DEVICE :
                (int)config.number(TRANSPORT, DEVICE, 0, MAX_DEVICE),
            STREAMS.defaultValue().equals(config.text(STREAMS)) ? AUTO_STREAMS :
                (int)config.number(TRANSPORT, STREAMS, 1, MAX_STREAMS),
            (int)config.number(TRANSPORT, SMS, 1, MAX_SMS),
            (int)config.number(TRANSPORT, KERNEL_SMS, 1, MAX_SMS),
            MappedFile.directoryIn(config, TRANSPORT),
            TimeUnit.MILLISECONDS.toNanos(config.number(TRANSPORT, TIMEOUT, 10, TimeUnit.HOURS.toMillis(1))),
            AgentIdle.nameIn(config, TRANSPORT),
            AgentIdle.maxParkNsIn(config, TRANSPORT));
    }

    private static void refuseGoneOptions(final TransportConfig config)
    {
        for (final String key : GONE)
        {
            if (config.options().containsKey(key))
            {
                throw new ConfigurationException("transload." + TRANSPORT + "." + key +
                    " is gone: remove it; low-latency calls run on steps of the device, which need no setting");
            }
        }
    }

    /** Ordinal of the device of a rank. */
    int device(final int rank, final int deviceCount)
    {
        return AUTO_DEVICE == device ? rank % deviceCount : device;
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
