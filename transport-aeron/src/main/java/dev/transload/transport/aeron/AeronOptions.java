/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.aeron;

import dev.transload.spi.ConfigOption;
import dev.transload.spi.TransportConfig;
import dev.transload.transport.base.AgentIdle;
import dev.transload.transport.base.MappedFile;
import java.nio.file.Path;
import java.util.List;

/**
 * The validated options of the provider.
 *
 * @param dataPath        {@code auto}, {@code mapped} or {@code messages}.
 * @param aeronDir        directory of an external media driver, or null to embed one.
 * @param driverDirectory under which an embedded driver keeps its files.
 * @param regionDirectory under which memory for peers of the same host lives.
 * @param host            local address of the UDP streams.
 * @param port            local UDP port, 0 for one that the system chooses.
 * @param mtu             bytes of a data message with all headers, 0 for the default of the medium.
 * @param termLength      bytes of a term of a data stream, 0 for the default of the medium.
 * @param idle            idle strategy of the transport's thread.
 * @param maxParkNs       longest sleep of the strategy {@code backoff}.
 * @param maxLoads        loads that a message channel may have under way.
 */
record AeronOptions(
    String dataPath,
    Path aeronDir,
    Path driverDirectory,
    Path regionDirectory,
    String host,
    int port,
    int mtu,
    int termLength,
    String idle,
    long maxParkNs,
    int maxLoads)
{
    static final String TRANSPORT = "aeron";
    static final String AUTO = "auto";
    static final String MAPPED = "mapped";
    static final String MESSAGES = "messages";

    static final ConfigOption DATA_PATH = new ConfigOption("data-path", AUTO, "auto, mapped or messages",
        "How operations reach a peer. mapped: by writing to mapped memory of the same host. messages: over Aeron " +
        "streams. auto: mapped where possible, else messages.");
    static final ConfigOption AERON_DIR = new ConfigOption("aeron-dir", "", "a directory, or empty to embed a driver",
        "Directory of a running media driver, which all ranks of the host share. Streams then use IPC. Empty: each " +
        "rank embeds a driver.");
    static final ConfigOption DRIVER_DIRECTORY = new ConfigOption("driver-directory", "", "a directory, or empty",
        "Directory for the files of an embedded driver, about 12 MB per rank. Avoid a small /dev/shm. Empty: the " +
        "JVM's temporary directory.");
    static final ConfigOption HOST = new ConfigOption("host", "127.0.0.1", "an address of this host",
        "Local address of the UDP streams, at which peers reach this rank. Every rank of a world on several hosts " +
        "must set it.");
    static final ConfigOption PORT = new ConfigOption("port", "0", "a UDP port in [0, 65535], 0 for any free one",
        "Local UDP port at which peers reach this rank. It cannot be set together with aeron-dir.");
    static final ConfigOption MTU = new ConfigOption("mtu", "0", "0, or a multiple of 32 in [1408, 65504]",
        "Size of the largest data message in bytes, with all headers. Larger puts are split. 0: 65504 over IPC and " +
        "loopback, else 1408.");
    static final ConfigOption TERM_LENGTH = new ConfigOption("term-length", "0",
        "0, or a power of two in [65536, 1073741824]",
        "Size of a term buffer in bytes. Each data stream has three term buffers. 0: 4 MiB over IPC, 1 MiB over UDP.");
    static final ConfigOption MAX_LOADS = new ConfigOption("max-loads", "64", "a whole number in [1, 4096]",
        "Largest number of loads in flight on one message channel.");

    static final List<ConfigOption> ALL = List.of(DATA_PATH, AERON_DIR, DRIVER_DIRECTORY, MappedFile.DIRECTORY, HOST,
        PORT, MTU, TERM_LENGTH, AgentIdle.OPTION, AgentIdle.MAX_PARK, MAX_LOADS);

    private static final int MTU_MIN = 1408;
    private static final int MTU_MAX = 65504;
    private static final int MTU_STEP = 32;
    private static final int TERM_MIN = 64 << 10;
    private static final int TERM_MAX = 1 << 30;
    private static final int PORT_MAX = 65535;
    private static final int PATH_MAX = 160;

    static AeronOptions of(final TransportConfig config)
    {
        config.refuseUnknownOptions(TRANSPORT, ALL);
        final String aeronDir = config.text(AERON_DIR);
        final String driverDirectory = config.text(DRIVER_DIRECTORY);
        final AeronOptions options = new AeronOptions(
            oneOf(config, DATA_PATH, AUTO, MAPPED, MESSAGES),
            aeronDir.isEmpty() ? null : path(AERON_DIR, aeronDir),
            path(DRIVER_DIRECTORY, driverDirectory.isEmpty() ? System.getProperty("java.io.tmpdir") : driverDirectory),
            path(MappedFile.DIRECTORY, config.text(MappedFile.DIRECTORY)),
            host(config),
            (int)config.number(TRANSPORT, PORT, 0, PORT_MAX),
            mtu(config),
            termLength(config),
            AgentIdle.nameIn(config, TRANSPORT),
            AgentIdle.maxParkNsIn(config, TRANSPORT),
            (int)config.number(TRANSPORT, MAX_LOADS, 1, 4096));

        if (options.isExternal() && !config.text(PORT).equals(PORT.defaultValue()))
        {
            throw PORT.refuse(TRANSPORT, config.text(PORT) + " together with aeron-dir (its streams are IPC)");
        }

        return options;
    }

    boolean isExternal()
    {
        return null != aeronDir;
    }

    boolean mayMap()
    {
        return !MESSAGES.equals(dataPath);
    }

    boolean maySend()
    {
        return !MAPPED.equals(dataPath);
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

    private static Path path(final ConfigOption option, final String text)
    {
        // Paths travel in addresses and descriptors, whose length the SPI bounds.
        if (text.isEmpty() || text.length() > PATH_MAX || text.indexOf('\0') >= 0)
        {
            throw option.refuse(TRANSPORT, text);
        }

        return Path.of(text).toAbsolutePath().normalize();
    }

    private static String host(final TransportConfig config)
    {
        final String host = config.text(HOST);
        if (!host.matches("[A-Za-z0-9.-]{1,64}|\\[[0-9A-Fa-f:.%]{2,60}]"))
        {
            throw HOST.refuse(TRANSPORT, host);
        }

        return host;
    }

    private static int mtu(final TransportConfig config)
    {
        final int mtu = (int)config.number(TRANSPORT, MTU, 0, MTU_MAX);
        if (0 != mtu && (mtu < MTU_MIN || 0 != mtu % MTU_STEP))
        {
            throw MTU.refuse(TRANSPORT, config.text(MTU));
        }

        return mtu;
    }

    private static int termLength(final TransportConfig config)
    {
        final int length = (int)config.number(TRANSPORT, TERM_LENGTH, 0, TERM_MAX);
        if (0 != length && (length < TERM_MIN || 1 != Integer.bitCount(length)))
        {
            throw TERM_LENGTH.refuse(TRANSPORT, config.text(TERM_LENGTH));
        }

        return length;
    }
}
