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
 * What providers have in common: a probe that never throws, and a look at the JVM's flags. The version of the SPI is
 * left to each provider: it must be the one that the provider, not this class, was compiled against (rule PRV-3).
 */
public abstract class AbstractTransportProvider implements TransportProvider
{
    private final String name;
    private final List<ConfigOption> options;

    /**
     * Of a transport; nothing is loaded.
     *
     * @param name    of the transport.
     * @param options that it understands.
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
     * Look whether this host can run the transport; what is loaded or opened for that alone is closed again.
     *
     * @param config to look with.
     * @return capabilities that {@link #openTransport} will keep.
     * @throws dev.transload.spi.ConfigurationException for an unknown key or a value that is not allowed.
     * @throws TransportUnavailableException            when it can't: a sentence that says what is missing, and what
     *                                                  would bring it.
     */
    protected abstract Capabilities promise(TransportConfig config);

    /**
     * Open an instance.
     *
     * @param config to use.
     * @return an open transport.
     * @throws dev.transload.spi.ConfigurationException as {@link #promise}.
     * @throws TransportUnavailableException            as {@link #promise}.
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
