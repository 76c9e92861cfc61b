/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.nvlink;

import dev.transload.spi.ConfigOption;
import dev.transload.spi.TransportConfig;

import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * The validated options of proxies: kernels that stay on the device and carry out what is small.
 *
 * @param isOn        whether there are proxies.
 * @param sms         blocks of one, each of which takes a multiprocessor while it stays.
 * @param idleNs      after which it leaves for lack of commands.
 * @param residencyNs after which it leaves in any case.
 * @param maxBytes    that one command moves; what is longer is launched.
 */
record ProxyOptions(boolean isOn, int sms, long idleNs, long residencyNs, long maxBytes)
{
    static final ConfigOption PROXY = new ConfigOption("proxy", "off", "off or on",
        "Whether kernels stay on the device for what is small, one a stream: less latency, at the cost of " +
        "multiprocessors, and of whatever else wants the device or frees its memory meanwhile.");
    static final ConfigOption SMS = new ConfigOption("proxy-sms", "4", "a number in [1, 32]",
        "Multiprocessors that such a kernel takes; times the streams, besides what launches take.");
    static final ConfigOption IDLE = new ConfigOption("proxy-idle-us", "200", "microseconds in [1, 10000000]",
        "How long such a kernel stays without a command; the next one launches it again.");
    static final ConfigOption RESIDENCY = new ConfigOption("proxy-residency-ms", "50",
        "milliseconds in [1, 10000]",
        "How long such a kernel stays in any case, so that others get the device; it is launched again if need be.");
    static final ConfigOption MAX_BYTES = new ConfigOption("proxy-max-bytes", "1048576",
        "bytes in [8, 1073741824]", "Longest put, load or rows of a call that such a kernel moves.");

    static final List<ConfigOption> ALL = List.of(PROXY, SMS, IDLE, RESIDENCY, MAX_BYTES);

    private static final String ON = "on";
    private static final int MAX_SMS = 32;

    static ProxyOptions of(final TransportConfig config)
    {
        final String choice = config.text(PROXY);
        if (!ON.equals(choice) && !PROXY.defaultValue().equals(choice))
        {
            throw PROXY.refuse(NvlinkOptions.TRANSPORT, choice);
        }

        return new ProxyOptions(
            ON.equals(choice),
            (int)config.number(NvlinkOptions.TRANSPORT, SMS, 1, MAX_SMS),
            TimeUnit.MICROSECONDS.toNanos(config.number(NvlinkOptions.TRANSPORT, IDLE, 1, 10_000_000)),
            TimeUnit.MILLISECONDS.toNanos(config.number(NvlinkOptions.TRANSPORT, RESIDENCY, 1, 10_000)),
            config.number(NvlinkOptions.TRANSPORT, MAX_BYTES, Long.BYTES, 1 << 30));
    }
}
