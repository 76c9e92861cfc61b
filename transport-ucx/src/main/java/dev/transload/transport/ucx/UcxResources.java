/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.ucx;

import dev.transload.spi.DeviceRuntime;
import dev.transload.spi.TransportConfig;
import dev.transload.transport.base.Identifiers;
import dev.transload.transport.base.PeerIdentity;
import dev.transload.transport.base.ProcessIdentity;
import dev.transload.transport.ucx.internal.ucp.UcpBinding;
import dev.transload.transport.ucx.internal.ucp.UcpLibrary;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import org.openucx.jucx.ucp.UcpWorker;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a transport takes from UCX when it opens: all of it, or nothing.
 *
 * @param context   of UCX.
 * @param target    worker to which peers' operations go.
 * @param messages  control messages.
 * @param endpoints maker of endpoints.
 * @param addsByCpu whether this CPU may add to words that several write.
 * @param identity  of the transport.
 */
record UcxResources(
    UcxContext context,
    TargetWorker target,
    ActiveMessages messages,
    EndpointFactory endpoints,
    boolean addsByCpu,
    PeerIdentity identity)
{
    private static final Logger LOG = LoggerFactory.getLogger(UcxResources.class);

    private static final Path HOST_NAME = Path.of("/proc/sys/kernel/hostname");

    static UcxResources open(final TransportConfig config, final UcxOptions options, final UcxStack stack)
    {
        final UcxContext context = openContext(options, stack);
        UcpWorker inbound = null;
        try
        {
            inbound = context.newSharedWorker();
            return open(config, options, context, new TargetWorker(inbound, context.calls()));
        }
        catch (final RuntimeException ex)
        {
            if (null != inbound)
            {
                inbound.close();
            }

            context.close();
            throw ex;
        }
    }

    /** Load UCX and make its context, which is all that a probe needs. */
    static UcxContext openContext(final UcxOptions options, final UcxStack stack)
    {
        final Map<String, String> environment = System.getenv();
        final Map<String, String> variables = ProcessSettings.claim(
            options.processSettings(), ProcessSettings.defaults(options.processSettings(), environment), environment);
        final UcpLibrary library = UcpLibrary.load(UcpBinding.valueOf(binding(options)), variables);
        final TransportSelection selection =
            TransportSelection.of(options.contextSettings(), environment, NetworkCards.hasDevices());
        final UcxDevice device = UcxDevice.open(options, selection, DeviceRuntime::discover, environment);
        final UcxContext context = UcxContext.open(library, options, selection, stack, device);
        try
        {
            context.probeDevice(options);
            return context;
        }
        catch (final RuntimeException ex)
        {
            context.close();
            throw ex;
        }
    }

    private static UcxResources open(
        final TransportConfig config, final UcxOptions options, final UcxContext context, final TargetWorker target)
    {
        final ProcessIdentity process = ProcessIdentity.local();
        final EndpointFactory endpoints =
            new EndpointFactory(context.calls(), options, context.selection(), process);
        final UcpWorker control = context.newSharedWorker();
        try
        {
            final ActiveMessages messages = new ActiveMessages(context.calls(), control, endpoints);
            final PeerIdentity identity = new PeerIdentity(UcxOptions.TRANSPORT, config.rank(), config.incarnation(),
                Identifiers.random(), Identifiers.random(), process, hostName(), messages.address());
            return new UcxResources(context, target, messages, endpoints,
                NetworkCards.areAddsByCpu(options, context.selection()), identity);
        }
        catch (final RuntimeException ex)
        {
            control.close();
            throw ex;
        }
    }

    private static String binding(final UcxOptions options)
    {
        return options.calls().toUpperCase(Locale.ROOT);
    }

    private static String hostName()
    {
        try
        {
            return Files.readString(HOST_NAME).trim();
        }
        catch (final IOException ex)
        {
            LOG.debug("{} cannot be read", HOST_NAME, ex);
            return "this host";
        }
    }
}
