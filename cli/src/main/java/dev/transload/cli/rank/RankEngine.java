/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.rank;

import dev.transload.engine.Engine;
import dev.transload.engine.EngineConfig;
import dev.transload.rendezvous.Rendezvous;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Supplier;

/**
 * Engine of a rank whose thread does little but wait for calls: where ranks outnumber cores the engine has no thread of
 * its own, and the rank's drives it. All else that takes long goes {@linkplain #beside beside} the engine, since other
 * ranks may still need it.
 */
public final class RankEngine implements AutoCloseable
{
    private final Engine engine;
    private final ExecutorService helper;

    private RankEngine(final Engine engine)
    {
        this.engine = engine;
        this.helper = engine.config().threads() > 0 ? null : Executors.newSingleThreadExecutor(RankEngine::thread);
    }

    private static Thread thread(final Runnable task)
    {
        final Thread thread = new Thread(task, "transload-beside-engine");
        thread.setDaemon(true);
        return thread;
    }

    /** Open, collectively. */
    public static RankEngine open(final EngineConfig config, final Rendezvous rendezvous)
    {
        final Engine engine = RankComposition.engine(config.callerMayDrive(), rendezvous);
        try
        {
            engine.awaitReady();
            return new RankEngine(engine);
        }
        catch (final RuntimeException | Error ex)
        {
            close(engine, ex);
            throw ex;
        }
    }

    private static void close(final Engine engine, final Throwable reason)
    {
        try
        {
            engine.close();
        }
        catch (final RuntimeException ex)
        {
            reason.addSuppressed(ex);
        }
    }

    /**
     * What calls are made to.
     *
     * @return engine, to be called by the thread that opened it.
     */
    public Engine engine()
    {
        return engine;
    }

    /**
     * Do something that makes no calls.
     *
     * @param work to do, always by the same other thread while this one drives the engine; by this one where the engine
     *             has threads.
     * @param <T>  of its result.
     * @return its result.
     */
    public <T> T beside(final Supplier<T> work)
    {
        if (null == helper)
        {
            return work.get();
        }

        final Future<T> task = helper.submit(work::get);
        engine.drive(task::isDone);
        return end(task);
    }

    /** As {@link #beside(Supplier)}, without a result. */
    public void runBeside(final Runnable work)
    {
        beside(() ->
        {
            work.run();
            return null;
        });
    }

    private static <T> T end(final Future<T> task)
    {
        try
        {
            return task.get();
        }
        catch (final ExecutionException ex)
        {
            if (ex.getCause() instanceof final Error error)
            {
                throw error;
            }

            throw (RuntimeException)ex.getCause();
        }
        catch (final InterruptedException ex)
        {
            task.cancel(true);
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted", ex);
        }
    }

    /** Waits until every rank closes, as an engine with threads does by itself. */
    @Override
    public void close()
    {
        try
        {
            if (null != helper)
            {
                engine.drive(helper.submit(engine::awaitOthers)::isDone);
                helper.shutdownNow();
            }
        }
        finally
        {
            engine.close();
        }
    }
}
