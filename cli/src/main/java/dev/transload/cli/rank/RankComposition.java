/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.rank;

import com.google.inject.Guice;
import com.google.inject.ProvisionException;
import com.google.inject.multibindings.OptionalBinder;
import dev.transload.engine.Engine;
import dev.transload.engine.EngineConfig;
import dev.transload.engine.lowlatency.LowLatencyConfig;
import dev.transload.engine.lowlatency.LowLatencyEngine;
import dev.transload.guice.TransloadModule;
import dev.transload.rendezvous.Rendezvous;

/** Opens the engines of a rank: by {@link TransloadModule}, with the settings of a command and a world that formed. */
public final class RankComposition
{
    private RankComposition()
    {
    }

    /**
     * Open an engine, collectively.
     *
     * @param config     settings.
     * @param rendezvous of the world; stays the caller's to close.
     * @return engine.
     */
    public static Engine engine(final EngineConfig config, final Rendezvous rendezvous)
    {
        return open(Engine.class, EngineConfig.class, config, rendezvous);
    }

    /**
     * Open an engine of the low-latency mode, collectively.
     *
     * @param config     settings.
     * @param rendezvous of the world; stays the caller's to close.
     * @return engine, to be used by the calling thread.
     */
    public static LowLatencyEngine lowLatencyEngine(final LowLatencyConfig config, final Rendezvous rendezvous)
    {
        return open(LowLatencyEngine.class, LowLatencyConfig.class, config, rendezvous);
    }

    /** What the engine throws decides the exit code, so it comes out as it is. */
    private static <E, C> E open(
        final Class<E> engine, final Class<C> settings, final C config, final Rendezvous rendezvous)
    {
        try
        {
            return Guice.createInjector(new TransloadModule(), (binder) ->
            {
                OptionalBinder.newOptionalBinder(binder, settings).setBinding().toInstance(config);
                OptionalBinder.newOptionalBinder(binder, Rendezvous.class).setBinding().toInstance(rendezvous);
            }).getInstance(engine);
        }
        catch (final ProvisionException ex)
        {
            throw ex.getCause() instanceof final RuntimeException cause ? cause : ex;
        }
    }
}
