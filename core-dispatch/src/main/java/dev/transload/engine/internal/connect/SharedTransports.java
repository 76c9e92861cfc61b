/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.connect;

import dev.transload.engine.TransportContext;
import dev.transload.rendezvous.Rendezvous;
import dev.transload.spi.ConfigurationException;
import dev.transload.spi.TransportConfig;
import dev.transload.spi.TransportProvider;
import dev.transload.spi.TransportRegistry;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;

/** A rank's open transports by name, and the engines over them by number. */
public final class SharedTransports implements TransportContext
{
    private final Rendezvous rendezvous;
    private final TransportRegistry registry;
    private final boolean isOfOne;
    private final EngineNews news;
    private final AtomicLong memories = new AtomicLong();
    private final Map<String, SharedTransport> opened = new HashMap<>();
    private final Resources resources = new Resources();
    private final List<TensorAllocator> tensors = new CopyOnWriteArrayList<>();
    private int engines;
    private int users;
    private boolean isReserved;
    private boolean isClosed;

    /**
     * Of a rank.
     *
     * @param isOfOne whether it is made for one engine alone.
     */
    public SharedTransports(final Rendezvous rendezvous, final TransportRegistry registry, final boolean isOfOne)
    {
        this.rendezvous = rendezvous;
        this.registry = registry;
        this.isOfOne = isOfOne;
        this.news = new EngineNews(rendezvous);
    }

    /**
     * An engine's place in a context. Taken before anything can go wrong, so that ranks count alike.
     *
     * @param context that the caller gave.
     * @return scope with the next number.
     * @throws IllegalArgumentException for a context that is not of this class.
     * @throws IllegalStateException    if it is closed.
     */
    public static EngineScope join(final TransportContext context)
    {
        return of(context).joinBesideOthers();
    }

    /** A context as what it is. */
    public static SharedTransports of(final TransportContext context)
    {
        if (!(context instanceof SharedTransports))
        {
            throw new IllegalArgumentException("context is " + context + ": must be made by TransportContext.open");
        }

        return (SharedTransports)context;
    }

    /**
     * Keep a context for an engine that others follow when ranks are lost: the order in which engines open at the same
     * time would differ between ranks.
     *
     * @throws ConfigurationException if other engines of it are open.
     */
    public synchronized void reserve()
    {
        if (isReserved || users > 0)
        {
            throw new ConfigurationException("an engine with transload.on-peer-failure = mask must be the only one " +
                "of its TransportContext, which has other open engines");
        }

        isReserved = true;
    }

    /** The engine for which it was kept is closed. */
    public synchronized void release()
    {
        isReserved = false;
    }

    private synchronized EngineScope joinBesideOthers()
    {
        if (isReserved)
        {
            throw new ConfigurationException("the TransportContext has an engine with transload.on-peer-failure = " +
                "mask, which must be its only one");
        }

        requireOpen();
        return join();
    }

    /** A place in a context that is kept for an engine, also while only engines that were open are left. */
    public synchronized EngineScope join()
    {
        if (0 == users)
        {
            requireOpen();
        }

        users++;
        news.join(engines);
        return new EngineScope(this, engines++);
    }

    private void requireOpen()
    {
        if (isClosed)
        {
            throw new IllegalStateException("the TransportContext of rank " + rendezvous.rank() +
                " is closed: engines must be opened before");
        }
    }

    Rendezvous rendezvous()
    {
        return rendezvous;
    }

    TransportRegistry registry()
    {
        return registry;
    }

    boolean isOfOne()
    {
        return isOfOne;
    }

    EngineNews news()
    {
        return news;
    }

    /** Number of a tensor's memory, of no other of this rank: engines may use each other's. */
    long nextMemory()
    {
        return memories.incrementAndGet();
    }

    void add(final TensorAllocator allocator)
    {
        tensors.add(allocator);
    }

    void remove(final TensorAllocator allocator)
    {
        tensors.remove(allocator);
    }

    /** Memory before it was closed, whichever engine gave it out; 0 where none did. */
    long oldestMemory()
    {
        long oldest = 0;
        for (int i = 0; i < tensors.size(); i++)
        {
            final long own = tensors.get(i).oldest();
            oldest = 0 == oldest || own > 0 && own < oldest ? own : oldest;
        }

        return oldest;
    }

    /** The transport of a name, opened on first use. */
    synchronized SharedTransport transport(
        final TransportProvider provider, final Map<String, String> options, final Duration liveness)
    {
        final SharedTransport known = opened.get(provider.name());
        if (null != known)
        {
            known.requireEqual(options, liveness);
            return known;
        }

        final SharedTransport fresh = resources.add(new SharedTransport(provider, TransportConfig.builder()
            .rank(rendezvous.rank()).worldSize(rendezvous.worldSize())
            .incarnation(rendezvous.member(rendezvous.rank()).incarnation()), options, liveness));
        opened.put(provider.name(), fresh);
        return fresh;
    }

    /** Whether transports stay open when one engine closes. */
    synchronized boolean outlivesAnEngine()
    {
        return !isClosed || users > 1;
    }

    void leave()
    {
        synchronized (this)
        {
            users--;
        }

        closeUnused();
    }

    @Override
    public void close()
    {
        synchronized (this)
        {
            isClosed = true;
        }

        closeUnused();
    }

    private void closeUnused()
    {
        final boolean isUnused;
        synchronized (this)
        {
            isUnused = isClosed && 0 == users;
        }

        if (isUnused)
        {
            news.end();
            resources.close();
        }
    }
}
