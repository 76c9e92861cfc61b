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

    static final ConfigOption TLS = new ConfigOption("tls", "",
        "names as in UCX_TLS joined by commas, or empty for UCX_TLS, and without it UCX's own choice " +
        "(without cma where the host has no InfiniBand device)",
        "Transports that UCX may use.");
    static final ConfigOption NET_DEVICES = new ConfigOption("net-devices", "",
        "devices as in UCX_NET_DEVICES joined by commas, or empty for UCX_NET_DEVICES, and without it all",
        "Network devices that UCX may use, e.g. mlx5_0:1 or eth0.");
    static final ConfigOption SETTINGS = new ConfigOption("settings", "",
        "NAME=VALUE separated by blanks, names of UCX settings without UCX_, except TLS and NET_DEVICES",
        "Further settings of UCX for the whole process, e.g. IB_TRAFFIC_CLASS=106 IB_SL=3; the environment wins over " +
        "them.");
    static final ConfigOption DIRECT = new ConfigOption("direct", AUTO, "auto or never",
        "Whether memory that UCX can map into this process (ucp_rkey_ptr) is copied to without UCX.");
    static final ConfigOption ATOMICS = new ConfigOption("atomics", AUTO, "auto, cpu, ucx or none",
        "Who adds to words that several write: this CPU, or UCX, which it must be where a network card adds too. " +
        "By itself: the CPU where the host has no InfiniBand device. none: there are no such words, and signals are " +
        "written; so it is by itself where UCX cannot add (1.16 and newer over TCP).");
    static final ConfigOption ERROR_HANDLING = new ConfigOption("error-handling", AUTO, "auto, peer or none",
        "Whether UCX reports broken connections; auto does where the transports allow it.");
    static final ConfigOption MAX_OPERATIONS = new ConfigOption("max-operations", "8192", "a number in [2, 65536]",
        "Operations that one channel may have under way within UCX.");
    static final ConfigOption CALLS = new ConfigOption("calls", AUTO, "auto, jni or jna",
        "How UCX is called: by the compiled shim, or by JNA where there is none.");
    static final ConfigOption MAX_PARK = new ConfigOption("max-park-us", "4000", "microseconds in [1, 100000]",
        "Longest sleep of the idle strategy backoff, and so the latency of connecting, and of peers' operations that " +
        "need this process while its callers are idle.");

    static final ConfigOption DEVICE = new ConfigOption("device", OFF,
        "off, on (the payload's device; without an engine the first) or an ordinal in [0, 65536]",
        "Experimental: the GPU whose memory UCX moves itself, where UCX was built with CUDA; off: host memory only.");
    static final ConfigOption DEVICE_LIBRARY = new ConfigOption("device-library", "",
        "name or path, or empty for the library that this process uses already, else the system's",
        "Library of the driver of that GPU.");

    static final List<ConfigOption> ALL = List.of(TLS, NET_DEVICES, SETTINGS, DIRECT, ATOMICS, ERROR_HANDLING,
        MAX_OPERATIONS, CALLS, AgentIdle.OPTION, MAX_PARK, DEVICE, DEVICE_LIBRARY);

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
            config.number(TRANSPORT, MAX_PARK, 1, 100_000) * 1000,
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
