/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.launch;

import dev.transload.cli.settings.Settings;
import dev.transload.engine.EngineConfig;
import dev.transload.spi.TransportRegistry;
import dev.transload.transport.aeron.DriverLauncher;
import io.aeron.driver.MediaDriver;
import io.aeron.driver.ThreadingMode;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * One media driver for all ranks of this host, where their messages go through shared memory: with
 * {@code data-path = messages} of the transport aeron, unless a driver of the user's is named. A rank must not host
 * another's driver, since it may die.
 */
final class HostedDriver implements AutoCloseable
{
    private static final String AERON = "aeron";
    private static final String DIRECTORY = "transload.aeron.aeron-dir";
    private static final int TERM_LENGTH = 1 << 20;
    private static final long TIMEOUT_MIN_SECONDS = 10;

    private final MediaDriver driver;

    private HostedDriver(final MediaDriver driver)
    {
        this.driver = driver;
    }

    static boolean isAeronPresent()
    {
        return TransportRegistry.discover().providers().stream()
            .anyMatch((registered) -> AERON.equals(registered.provider().name()));
    }

    static HostedDriver launchIfNeeded(final Settings settings, final Path folder)
    {
        final EngineConfig config = settings.engine().resolve(TransportRegistry.discover());
        final boolean isUsed = AERON.equals(config.scaleUp().transport()) ||
            config.nodes() > 1 && AERON.equals(config.scaleOut().transport());
        final Map<String, String> options = config.optionsOf(AERON);
        if (!isUsed || !"messages".equals(options.get("data-path")) ||
            !options.getOrDefault("aeron-dir", "").isEmpty() || options.containsKey("port"))
        {
            return new HostedDriver(null);
        }

        return new HostedDriver(DriverLauncher.launch(context(config, folder),
            "make room there, or choose another folder by java.io.tmpdir"));
    }

    Map<String, String> settings()
    {
        return null == driver ? Map.of() : Map.of(DIRECTORY, driver.aeronDirectoryName());
    }

    @Override
    public void close()
    {
        if (null != driver)
        {
            driver.close();
        }
    }

    /** Timeouts longer than those of the ranks: the ranks find a silent peer before Aeron does. */
    private static MediaDriver.Context context(final EngineConfig config, final Path folder)
    {
        final long timeoutNs = Math.max(
            TimeUnit.SECONDS.toNanos(TIMEOUT_MIN_SECONDS), 2 * config.livenessTimeout().toNanos());
        return new MediaDriver.Context()
            .aeronDirectoryName(folder.resolve("driver").toString())
            .dirDeleteOnStart(true)
            .dirDeleteOnShutdown(true)
            .warnIfDirectoryExists(false)
            .threadingMode(ThreadingMode.SHARED)
            .termBufferSparseFile(true)
            .ipcTermBufferLength(TERM_LENGTH)
            .publicationTermBufferLength(TERM_LENGTH)
            .clientLivenessTimeoutNs(timeoutNs)
            .imageLivenessTimeoutNs(timeoutNs)
            .publicationConnectionTimeoutNs(timeoutNs)
            .publicationUnblockTimeoutNs(2 * timeoutNs)
            .driverTimeoutMs(TimeUnit.NANOSECONDS.toMillis(timeoutNs));
    }
}
