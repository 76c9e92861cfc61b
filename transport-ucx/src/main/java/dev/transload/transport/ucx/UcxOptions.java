/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.ucx;

import dev.transload.spi.ConfigOption;
import dev.transload.spi.TransportConfig;
import dev.transload.transport.base.AgentIdle;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The validated options of the provider.
 *
 * @param contextSettings of UCX for the transport's own context, by name without the prefix {@code UCX_}.
 * @param processSettings of UCX for the whole process, by name without the prefix.
 * @param direct        whether memory of a peer that this process can map is written by this process itself.
 * @param atomics       {@code auto}, {@code cpu}, {@code ucx} or {@code none}.
 * @param errorHandling {@code auto}, {@code peer} or {@code none}.
 * @param maxOperations that a channel may have under way.
 * @param calls         {@code auto}, {@code jni} or {@code jna}.
 * @param idle          idle strategy of the transport's thread.
 * @param maxParkNs     longest sleep of the strategy {@code backoff}.
 * @param device        {@code off}, {@code on} or the ordinal of the device whose memory UCX moves.
 * @param deviceLibrary of the device's driver, or empty.
 */
record UcxOptions(
    Map<String, String> contextSettings,
    Map<String, String> processSettings,
    boolean direct,
    String atomics,
    String errorHandling,
    int maxOperations,
    String calls,
    String idle,
    long maxParkNs,
    String device,
    String deviceLibrary)
{
    static final String TRANSPORT = "ucx";
    static final String AUTO = "auto";
    static final String CPU = "cpu";
    static final String UCX = "ucx";
    static final String PEER = "peer";
    static final String NONE = "none";
    static final String OFF = "off";
    static final String ON = "on";

    /** Prefix of UCX's own environment variables. */
    static final String PREFIX = "UCX_";
    static final String TLS_SETTING = "TLS";

    static final ConfigOption TLS = new ConfigOption("tls", "", "names as in UCX_TLS, separated by commas, or empty",
        "Transports that UCX may use. Empty: those of UCX_TLS. If UCX_TLS is not set either, UCX chooses transports, " +
        "but does not use cma if the host has no InfiniBand device.");
    static final ConfigOption NET_DEVICES = new ConfigOption("net-devices", "",
        "names as in UCX_NET_DEVICES, separated by commas, or empty",
        "Network devices that UCX may use, such as mlx5_0:1 or eth0. Empty: those of UCX_NET_DEVICES, else all.");
    static final ConfigOption SETTINGS = new ConfigOption("settings", "",
        "NAME=VALUE pairs separated by blanks; NAME is the name of a UCX setting without the prefix UCX_, and " +
        "neither TLS nor NET_DEVICES",
        "Other settings of UCX for the whole process, such as IB_TRAFFIC_CLASS=106 IB_SL=3. Environment variables " +
        "override them.");
    static final ConfigOption DIRECT = new ConfigOption("direct", AUTO, "auto or never",
        "Whether this process writes to memory of a peer directly, without UCX. auto: it does if UCX can map the " +
        "memory (ucp_rkey_ptr).");
    static final ConfigOption ATOMICS = new ConfigOption("atomics", AUTO, "auto, cpu, ucx or none",
        "Who adds to words that have several writers. cpu: this CPU, but sums are wrong if a network card also adds. " +
        "ucx: UCX. none: nobody adds. Each signal then has one writer, which puts the total. auto: ucx if the host " +
        "has an InfiniBand device, else cpu. Over TCP with UCX 1.16 or later, auto and cpu mean none.");
    static final ConfigOption ERROR_HANDLING = new ConfigOption("error-handling", AUTO, "auto, peer or none",
        "Whether UCX watches connections for errors. peer: all connections. none: no connections. auto: all " +
        "connections except those over shared memory, for which UCX does not support this.");
    static final ConfigOption MAX_OPERATIONS = new ConfigOption("max-operations", "8192",
        "a whole number in [2, 65536]",
        "Largest number of operations in flight within UCX for one channel.");
    static final ConfigOption CALLS = new ConfigOption("calls", AUTO, "auto, jni or jna",
        "How UCX is called. jni: by the compiled shim. jna: by JNA. auto: jni if there is a shim, else jna.");

    static final ConfigOption DEVICE = new ConfigOption("device", OFF, "off, on or an ordinal in [0, 65536]",
        "Experimental: the GPU whose memory UCX moves, if UCX was built with CUDA. off: host memory only. on: the " +
        "payload's device, or the first device if the transport is used without an engine.");
    static final ConfigOption DEVICE_LIBRARY = new ConfigOption("device-library", "", "a name or path, or empty",
        "Library of the driver of the GPU that ucx.device selects. Empty: the library that the process has loaded, " +
        "else that of the system.");

    static final List<ConfigOption> ALL = List.of(TLS, NET_DEVICES, SETTINGS, DIRECT, ATOMICS, ERROR_HANDLING,
        MAX_OPERATIONS, CALLS, AgentIdle.OPTION, AgentIdle.MAX_PARK, DEVICE, DEVICE_LIBRARY);

    private static final String NET_DEVICES_SETTING = "NET_DEVICES";
    private static final String SETTING = "[A-Z][A-Z0-9_]*=\\S*";

    static UcxOptions of(final TransportConfig config)
    {
        config.refuseUnknownOptions(TRANSPORT, ALL);
        return new UcxOptions(
            contextSettings(config),
            processSettings(config),
            AUTO.equals(oneOf(config, DIRECT, AUTO, "never")),
            oneOf(config, ATOMICS, AUTO, CPU, UCX, NONE),
            oneOf(config, ERROR_HANDLING, AUTO, PEER, NONE),
            (int)config.number(TRANSPORT, MAX_OPERATIONS, 2, 1 << 16),
            oneOf(config, CALLS, AUTO, "jni", "jna"),
            AgentIdle.nameIn(config, TRANSPORT),
            AgentIdle.maxParkNsIn(config, TRANSPORT),
            device(config),
            config.text(DEVICE_LIBRARY));
    }

    /** Whether UCX moves memory of a device. */
    boolean movesDevice()
    {
        return !OFF.equals(device);
    }

    /** Of the device, where there is one. */
    int deviceOrdinal()
    {
        return ON.equals(device) ? 0 : Integer.parseInt(device);
    }

    /** Whether nothing is said of UCX itself. */
    boolean isDefault()
    {
        return contextSettings.isEmpty() && processSettings.isEmpty();
    }

    /** Network devices that UCX may use: what is configured wins over the environment. */
    String netDevices(final Map<String, String> environment)
    {
        return contextSettings.getOrDefault(
            NET_DEVICES_SETTING, environment.getOrDefault(PREFIX + NET_DEVICES_SETTING, ""));
    }

    private static Map<String, String> contextSettings(final TransportConfig config)
    {
        final Map<String, String> settings = new LinkedHashMap<>();
        add(config, TLS, TLS_SETTING, settings);
        add(config, NET_DEVICES, NET_DEVICES_SETTING, settings);
        return settings;
    }

    private static Map<String, String> processSettings(final TransportConfig config)
    {
        final Map<String, String> settings = new LinkedHashMap<>();
        final String text = config.text(SETTINGS).trim();
        for (final String setting : text.isEmpty() ? new String[0] : text.split("\\s+"))
        {
            final String name = setting.substring(0, Math.max(0, setting.indexOf('=')));
            if (!setting.matches(SETTING) || name.startsWith(PREFIX) || TLS_SETTING.equals(name) ||
                NET_DEVICES_SETTING.equals(name))
            {
                throw SETTINGS.refuse(TRANSPORT, text);
            }

            settings.put(name, setting.substring(name.length() + 1));
        }

        return settings;
    }

    private static String device(final TransportConfig config)
    {
        final String value = config.text(DEVICE);
        return OFF.equals(value) || ON.equals(value) ? value :
            String.valueOf(config.number(TRANSPORT, DEVICE, 0, 1 << 16));
    }

    private static void add(
        final TransportConfig config, final ConfigOption option, final String name, final Map<String, String> settings)
    {
        final String value = config.text(option);
        if (!value.isEmpty() && !value.matches("\\S+"))
        {
            throw option.refuse(TRANSPORT, value);
        }

        if (!value.isEmpty())
        {
            settings.put(name, value);
        }
    }

    private static String oneOf(final TransportConfig config, final ConfigOption option, final String... allowed)
    {
        final String value = config.text(option);
        if (!List.of(allowed).contains(value))
        {
            throw option.refuse(TRANSPORT, value);
        }

        return value;
    }
}
