/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.connect;

import dev.transload.engine.TransportContext;
import dev.transload.rendezvous.Member;
import dev.transload.rendezvous.Rendezvous;
import dev.transload.spi.ConfigurationException;
import dev.transload.spi.TransportConfig;
import dev.transload.spi.TransportProvider;
import dev.transload.spi.TransportRegistry;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
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
    /** By rank, the process with which engines open. */
    private final Map<Integer, Member> members = new TreeMap<>();
    /** By rank, the last process that took part in an engine in the place of another. */
    private final Map<Integer, Long> admitted = new HashMap<>();
    private int engines;
    private int users;
    private boolean isReserved;
    /** This process has returned, and knows with which engine it begins. */
    private boolean isAdmitted;
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
        for (int rank = 0; rank < rendezvous.worldSize(); rank++)
        {
            members.put(rank, rendezvous.member(rank));
        }
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

        if (isReturning())
        {
            throw new ConfigurationException("transload.on-peer-failure = mask is required, and normal mode: this " +
                "process of rank " + rendezvous.rank() + " has returned to a running world, whose ranks readmit it " +
                "to such an engine only");
        }

        requireOpen();
        return join();
    }

    public int rank()
    {
        return rendezvous.rank();
    }

    /** Whether this process has returned to a running world, and takes part in no engine yet. */
    public synchronized boolean isReturning()
    {
        return rendezvous.hasReturned() && !isAdmitted;
    }

    /**
     * Wait until the others readmit this process; the next engine to join is then the one with which it begins.
     *
     * @param timeout longest wait.
     */
    public Admission awaitAdmission(final Duration timeout)
    {
        final Admission admission = news.awaitAdmission(timeout);
        synchronized (this)
        {
            isAdmitted = true;
            engines = admission.engine();
            news.beginWith(admission.engine());
            admission.processes().forEach(this::expect);
        }

        return admission;
    }

    /** By rank, the processes that have returned and ask to be readmitted. */
    public Map<Integer, Long> returning()
    {
        final Map<Integer, Long> asking = news.returning();
        synchronized (this)
        {
            // One that was readmitted before, and lost again, does not come back.
            asking.entrySet().removeIf((one) -> one.getValue().equals(admitted.get(one.getKey())));
        }

        return asking;
    }

    /**
     * Whether a process has ended, as this rank was told: it writes nowhere any more.
     *
     * @param incarnation of the rank.
     */
    public boolean isGone(final int rank, final long incarnation)
    {
        return news.isGone(rank, incarnation);
    }

    /**
     * Processes that have returned take part in the next engine: tell them.
     *
     * @param call     in which they are readmitted.
     * @param present  ranks of that engine.
     * @param returned processes by rank.
     */
    public void admit(final long call, final List<Integer> present, final Map<Integer, Long> returned)
    {
        final Map<Integer, Long> processes = new TreeMap<>();
        final int engine;
        synchronized (this)
        {
            engine = engines;
            opened.values().forEach((transport) -> returned.keySet().forEach(transport::forget));
            returned.forEach(this::expect);
            present.forEach((rank) -> processes.put(rank, members.get(rank).incarnation()));
        }

        news.admit(new Admission(engine, call, processes));
    }

    /** If another process has replaced the expected one meanwhile, nobody waits for it. */
    private void expect(final int rank, final long incarnation)
    {
        final Member known = rendezvous.member(rank);
        admitted.put(rank, incarnation);
        members.put(rank, known.incarnation() == incarnation ? known :
            new Member(rank, incarnation, "an unknown host", 0));
    }

    synchronized List<Member> members(final List<Integer> ranks)
    {
        return ranks.stream().map(members::get).toList();
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
        news.only(engines, List.copyOf(members.values()));
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
