/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.base;

import dev.transload.spi.Availability;
import dev.transload.spi.Capabilities;
import dev.transload.spi.ConfigOption;
import dev.transload.spi.Transport;
import dev.transload.spi.TransportConfig;
import dev.transload.spi.TransportException;
import dev.transload.spi.TransportProvider;
import dev.transload.spi.TransportUnavailableException;
import java.util.List;
import org.agrona.UnsafeApi;

/**
 * Base class of providers. The method {@link #probe} never throws an exception: it returns the failure instead. Both
 * {@link #probe} and {@link #open} check that the JVM has the flag {@code --add-exports} that transports need. Each
 * provider implements {@code spiVersion()} itself, because the result must be the version against which the provider
 * was compiled (rule PRV-3).
 */
public abstract class AbstractTransportProvider implements TransportProvider
{
    private final String name;
    private final List<ConfigOption> options;

    /**
     * Creates a provider. The constructor loads no library.
     *
     * @param name    name of the transport.
     * @param options options that the transport accepts.
     */
    protected AbstractTransportProvider(final String name, final List<ConfigOption> options)
    {
        this.name = name;
        this.options = options;
    }

    @Override
    public final String name()
    {
        return name;
    }

    @Override
    public final List<ConfigOption> options()
    {
        return options;
    }

    @Override
    public final Availability probe(final TransportConfig config)
    {
        try
        {
            requireExports();
            return new Availability.Available(promise(config));
        }
        catch (final TransportException ex)
        {
            return new Availability.Unavailable(ex.getMessage(), ex);
        }
        catch (final RuntimeException | LinkageError ex)
        {
            return new Availability.Unavailable(unusable(ex), ex);
        }
    }

    @Override
    public final Transport open(final TransportConfig config)
    {
        requireExports();
        try
        {
            return openTransport(config);
        }
        catch (final LinkageError ex)
        {
            throw new TransportUnavailableException(unusable(ex), ex);
        }
    }

    /**
     * Checks whether this host can run the transport. Libraries and devices opened for the check are closed again.
     *
     * @param config configuration to check.
     * @return capabilities that a transport opened by {@link #openTransport} will have.
     * @throws dev.transload.spi.ConfigurationException if the configuration has an unknown key or a value that is not
     *                                                  allowed.
     * @throws TransportUnavailableException            if the host cannot run the transport; the message names the
     *                                                  missing part and says how to provide it.
     */
    protected abstract Capabilities promise(TransportConfig config);

    /**
     * Opens a transport.
     *
     * @param config configuration to use.
     * @return an open transport.
     * @throws dev.transload.spi.ConfigurationException under the same conditions as in {@link #promise}.
     * @throws TransportUnavailableException            under the same conditions as in {@link #promise}.
     */
    protected abstract Transport openTransport(TransportConfig config);

    /** Without them Agrona, which all of this module uses, fails somewhere in the middle. */
    private void requireExports()
    {
        try
        {
            UnsafeApi.pageSize();
        }
        catch (final LinkageError ex)
        {
            throw new TransportUnavailableException("transport " + name + " needs the JVM flag " +
                "--add-exports java.base/jdk.internal.misc=ALL-UNNAMED", ex);
        }
    }

    private String unusable(final Throwable cause)
    {
        return "transport " + name + " cannot be used: " + cause;
    }
}
