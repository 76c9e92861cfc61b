/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.guice;

import com.google.inject.Guice;
import com.google.inject.Inject;
import com.google.inject.Injector;
import com.google.inject.Module;
import com.google.inject.multibindings.OptionalBinder;
import com.google.inject.util.Modules;
import com.typesafe.config.ConfigFactory;
import dev.transload.engine.CombineRequest;
import dev.transload.engine.CombineResult;
import dev.transload.engine.DataType;
import dev.transload.engine.DispatchRequest;
import dev.transload.engine.DispatchResult;
import dev.transload.engine.Engine;
import dev.transload.engine.EngineConfig;
import dev.transload.engine.Tensor;
import dev.transload.rendezvous.Rendezvous;

/** The example that EMBEDDING.md names. */
public final class GuiceRank
{
    private final Engine engine;

    @Inject
    GuiceRank(final Engine engine)
    {
        this.engine = engine;
    }

    private CombineResult exchange()
    {
        final Tensor x = new Tensor(engine.allocatePayload(16L * 1024 * 2), 0, DataType.BF16, 16, 1024);
        final Tensor idx = new Tensor(engine.allocateHost(16L * 2 * 8), 0, DataType.I64, 16, 2);
        for (int token = 0; token < 16; token++)
        {
            idx.view().putLong(token * 16, token % 8).putLong(token * 16 + 8, -1);
        }

        final DispatchResult sent = engine.dispatch(DispatchRequest.of(x).topk(idx, null, 8)).await();
        final CombineResult home = engine.combine(CombineRequest.of(sent.handle(), sent.output().x())).await();
        sent.handle().close();
        return home;
    }

    static CombineResult run(final Module application)
    {
        final Injector injector = Guice.createInjector(new TransloadModule(), application);
        try (Rendezvous rendezvous = injector.getInstance(Rendezvous.class);
            Engine engine = injector.getInstance(Engine.class))
        {
            final CombineResult home = injector.getInstance(GuiceRank.class).exchange();
            System.out.println("rank " + rendezvous.rank() + " of " + engine.world().size() + ": " + home.x());
            return home;
        }
    }

    /** What an application replaces: its own settings, and a world that it has formed itself. */
    static Module application(final Rendezvous world)
    {
        final EngineConfig settings = EngineConfig.from(ConfigFactory.parseString("""
            transload { ranks-per-node = 2, max-hidden = 1024, max-topk = 2, max-experts = 8 }
            """).withFallback(ConfigFactory.load()));
        return Modules.combine(
            (binder) -> OptionalBinder.newOptionalBinder(binder, EngineConfig.class).setBinding().toInstance(settings),
            (binder) -> OptionalBinder.newOptionalBinder(binder, Rendezvous.class).setBinding().toInstance(world));
    }
}
