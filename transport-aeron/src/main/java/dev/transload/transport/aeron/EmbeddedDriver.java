/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.aeron;

import dev.transload.spi.TransportConfig;
import dev.transload.transport.base.PrivateDirectory;
import io.aeron.driver.MediaDriver;
import io.aeron.driver.ThreadingMode;
import java.io.IOException;
import java.net.StandardSocketOptions;
import java.nio.channels.DatagramChannel;
import java.util.concurrent.TimeUnit;
import org.agrona.concurrent.AgentInvoker;
import org.agrona.concurrent.broadcast.BroadcastBufferDescriptor;
import org.agrona.concurrent.ringbuffer.RingBufferDescriptor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A media driver of this transport's own, run by the transport's thread. */
final class EmbeddedDriver implements AutoCloseable
{
    private static final Logger LOG = LoggerFactory.getLogger(EmbeddedDriver.class);
    private static final int BUFFER_LENGTH = 1 << 20;
    private static final int ERROR_LENGTH = 4 << 20;
    private static final int WINDOW_MAX = 2 << 20;
    private static final int WINDOW_MIN = 128 << 10;
    /** Of streams on which nothing moves; where something does, status follows consumption. */
    private static final long STATUS_INTERVAL_NS = TimeUnit.SECONDS.toNanos(1);
    private static final long TIMEOUT_MIN_NS = TimeUnit.SECONDS.toNanos(10);

    private final PrivateDirectory directory;
    private final MediaDriver driver;

    private EmbeddedDriver(final PrivateDirectory directory, final MediaDriver driver)
    {
        this.directory = directory;
        this.driver = driver;
    }

    static EmbeddedDriver launch(
        final AeronOptions options, final TransportConfig config, final String name, final AeronErrors errors)
    {
        final PrivateDirectory directory = PrivateDirectory.create(
            AeronOptions.TRANSPORT, options.driverDirectory(), name, AeronOptions.DRIVER_DIRECTORY.key());
        MediaDriver driver = null;
        try
        {
            driver = DriverLauncher.launch(context(directory, config, errors),
                "make room there or set transload.aeron." + AeronOptions.DRIVER_DIRECTORY.key());
            return new EmbeddedDriver(directory, driver);
        }
        finally
        {
            if (null == driver)
            {
                directory.close();
            }
        }
    }

    /** Timeout of Aeron for clients and peers. It is longer than ours: the transport finds a dead peer first. */
    static long timeoutNs(final TransportConfig config)
    {
        return Math.max(TIMEOUT_MIN_NS, 2 * Math.min(config.livenessTimeoutNs(), TimeUnit.HOURS.toNanos(1)));
    }

    AgentInvoker invoker()
    {
        return driver.sharedAgentInvoker();
    }

    String aeronDirectory()
    {
        return driver.aeronDirectoryName();
    }

    String privateDirectory()
    {
        return directory.path().toString();
    }

    @Override
    public void close()
    {
        driver.close();
        directory.close();
    }

    private static MediaDriver.Context context(
        final PrivateDirectory directory, final TransportConfig config, final AeronErrors errors)
    {
        final long timeoutNs = timeoutNs(config);
        final int window = window();
        return new MediaDriver.Context()
            .aeronDirectoryName(directory.path().resolve("aeron").toString())
            .dirDeleteOnStart(true)
            .dirDeleteOnShutdown(true)
            .warnIfDirectoryExists(false)
            // One thread for driver, client and transport: a rank that idles must not wake three.
            .threadingMode(ThreadingMode.INVOKER)
            .asyncExecutorEnabled(false)
            .conductorBufferLength(BUFFER_LENGTH + RingBufferDescriptor.TRAILER_LENGTH)
            .toClientsBufferLength(BUFFER_LENGTH + BroadcastBufferDescriptor.TRAILER_LENGTH)
            .counterValuesBufferLength(BUFFER_LENGTH)
            .errorBufferLength(ERROR_LENGTH)
            .termBufferSparseFile(true)
            .publicationTermBufferLength(Medium.CONTROL_TERM_LENGTH)
            .socketRcvbufLength(window)
            .initialWindowLength(window)
            .statusMessageTimeoutNs(STATUS_INTERVAL_NS)
            .clientLivenessTimeoutNs(timeoutNs)
            .imageLivenessTimeoutNs(timeoutNs)
            .publicationConnectionTimeoutNs(timeoutNs)
            .publicationUnblockTimeoutNs(2 * timeoutNs)
            .driverTimeoutMs(TimeUnit.NANOSECONDS.toMillis(timeoutNs))
            .errorHandler(errors);
    }

    /** As much as the system lets a socket hold: what is sent beyond it is lost and sent again. */
    private static int window()
    {
        try (DatagramChannel probe = DatagramChannel.open())
        {
            probe.setOption(StandardSocketOptions.SO_RCVBUF, WINDOW_MAX);
            final int granted = probe.getOption(StandardSocketOptions.SO_RCVBUF);
            return Math.max(WINDOW_MIN, Math.min(WINDOW_MAX, Integer.highestOneBit(granted)));
        }
        catch (final IOException ex)
        {
            LOG.debug("no socket to probe", ex);
            return WINDOW_MIN;
        }
    }
}
