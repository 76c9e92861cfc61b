/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.runtime;

import com.typesafe.config.Config;
import dev.transload.engine.Engine;
import dev.transload.engine.EngineConfig;
import dev.transload.engine.EngineProvider;
import dev.transload.engine.KernelRegistry;
import dev.transload.engine.OnPeerFailure;
import dev.transload.engine.TransloadConfig;
import dev.transload.engine.TransportContext;
import dev.transload.engine.internal.config.ConfigReader;
import dev.transload.engine.internal.config.LayeredConfig;
import dev.transload.engine.internal.config.SizeHint;
import dev.transload.engine.internal.connect.SharedTransports;
import dev.transload.rendezvous.Rendezvous;
import dev.transload.spi.TransportRegistry;
import java.nio.file.Path;
import java.util.Map;

/** Ties the public types of the engine to the packages that implement them. */
public final class NormalEngineProvider implements EngineProvider
{
    /** For the service loader. */
    public NormalEngineProvider()
    {
        // Has no state.
    }

    @Override
    public EngineConfig read(final Config root)
    {
        return new ConfigReader(root).read();
    }

    @Override
    public TransloadConfig load(
        final Map<String, String> environment, final Path file, final Map<String, String> overrides,
        final TransportRegistry transports)
    {
        return LayeredConfig.load(environment, file, overrides, transports);
    }

    @Override
    public TransloadConfig loadWithin(
        final Map<String, String> environment, final Config application, final Map<String, String> overrides,
        final TransportRegistry transports)
    {
        return LayeredConfig.loadWithin(environment, application, overrides, transports);
    }

    @Override
    public TransloadConfig parse(final String rendered)
    {
        return LayeredConfig.parse(rendered);
    }

    @Override
    public long scaleOutRingBytes(final EngineConfig config)
    {
        return SizeHint.scaleOutRingBytes(config);
    }

    @Override
    public long scaleUpRingBytes(final EngineConfig config)
    {
        return SizeHint.scaleUpRingBytes(config);
    }

    @Override
    public Engine open(
        final EngineConfig config, final Rendezvous rendezvous, final TransportRegistry transports,
        final KernelRegistry kernels)
    {
        if (OnPeerFailure.MASK == config.onPeerFailure())
        {
            return MaskingEngine.open(config, new SharedTransports(rendezvous, transports, true), true, kernels);
        }

        try (TransportContext own = new SharedTransports(rendezvous, transports, true))
        {
            return open(config, own, kernels);
        }
    }

    @Override
    public TransportContext openContext(final Rendezvous rendezvous, final TransportRegistry transports)
    {
        return new SharedTransports(rendezvous, transports, false);
    }

    @Override
    public Engine open(final EngineConfig config, final TransportContext context, final KernelRegistry kernels)
    {
        return OnPeerFailure.MASK != config.onPeerFailure() ? NormalEngine.open(config, context, kernels) :
            MaskingEngine.open(config, SharedTransports.of(context), false, kernels);
    }
}
