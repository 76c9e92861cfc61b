/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.ring;

import dev.transload.engine.EngineConfig;
import dev.transload.engine.World;
import dev.transload.engine.internal.connect.Arena;
import dev.transload.engine.internal.connect.ArenaMap;
import dev.transload.engine.internal.connect.Connection;
import dev.transload.engine.internal.connect.PeerDirectory;
import dev.transload.engine.internal.connect.StagesRig;
import dev.transload.engine.internal.observe.ThreadCounters;
import dev.transload.engine.internal.world.Geometry;
import dev.transload.engine.internal.world.Stage;
import dev.transload.spi.Channel;
import dev.transload.spi.Transport;
import dev.transload.spi.TransportProvider;
import dev.transload.spi.Worker;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;

/** Rank 0 produces, rank 1 consumes and keeps its head in memory; the channel can be told to be difficult. */
final class PullRig implements PeerDirectory
{
    private static final int HEAD = 1;
    private static final int LOADED = 2;

    /** Loads that were accepted. */
    int loads;
    /** Flushes that were accepted. */
    int flushes;
    boolean refusesLoads;
    boolean refusesFlushes;
    /** Loads arrive before the operation returns, as over mapped memory. */
    boolean isMapped;

    final PulledCredit credit;
    final PullableReturn back;
    final Worker worker;
    final Worker peerWorker;
    private final StagesRig own;
    private final StagesRig peer;
    private final ArenaMap ownMap;
    private final ArenaMap peerMap;
    private long arriving;

    PullRig(final TransportProvider provider, final int batch)
    {
        own = new StagesRig(geometry(provider, 0), false, provider);
        peer = new StagesRig(geometry(provider, 1), false, provider);
        ownMap = own.map;
        peerMap = peer.map;
        worker = own.stages.of(Stage.SCALE_UP).openWorker(0);
        peerWorker = peer.stages.of(Stage.SCALE_UP).openWorker(0);
        final Connection link =
            new Connection(Stage.SCALE_UP, 0, 1, Connection.Use.GENERAL, this, new ThreadCounters(2));
        link.open(difficult(Worker.class, worker), 0, null);
        credit = new PulledCredit(link, ownMap.headsUp, HEAD, ownMap.loadedHeads, LOADED);
        back = new PullableReturn(peerMap.headsUp, HEAD, batch);
    }

    /** What the consumer keeps for the producer to load. */
    long stored()
    {
        return peerMap.headsUp.buffer().getLongVolatile(peerMap.headsUp.index(HEAD));
    }

    private <T> T difficult(final Class<T> type, final T whole)
    {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[]{type},
            (proxy, method, arguments) -> switch (method.getName())
            {
                case "connect" -> difficult(Channel.class, (Channel)invoke(method, whole, arguments));
                case "load" -> refusesLoads ? Channel.BACK_PRESSURED : load(invoke(method, whole, arguments));
                case "flush" -> refusesFlushes ? Channel.BACK_PRESSURED : flush(invoke(method, whole, arguments));
                case "deliveredPosition" -> Math.min(arriving, (long)invoke(method, whole, arguments));
                default -> invoke(method, whole, arguments);
            }));
    }

    private long load(final Object result)
    {
        final long position = (long)result;
        if (position >= 0)
        {
            loads++;
            if (isMapped)
            {
                arriving = position;
                worker.progress();
            }
        }

        return position;
    }

    /** Positions are certain to advance by a flush only (POS-3), so here they do not without. */
    private long flush(final Object result)
    {
        final long position = (long)result;
        if (position >= 0)
        {
            flushes++;
            arriving = position;
        }

        return position;
    }

    private static Object invoke(final Method method, final Object whole, final Object[] arguments) throws Throwable
    {
        try
        {
            return method.invoke(whole, arguments);
        }
        catch (final InvocationTargetException ex)
        {
            throw ex.getCause();
        }
    }

    private static Geometry geometry(final TransportProvider provider, final int rank)
    {
        return new Geometry(new World(1, 2, rank), EngineConfig.builder().ranksPerNode(2).channels(1).maxHidden(64)
            .maxTopk(4).maxExperts(32).scaleOut(provider.name()).scaleUp(provider.name()).build());
    }

    @Override
    public int rank()
    {
        return 0;
    }

    @Override
    public int arenaCount()
    {
        return ownMap.arenas().size();
    }

    @Override
    public long incarnation(final int rank)
    {
        return peer.incarnation();
    }

    @Override
    public ByteBuffer workerAddress(final int rank, final Stage stage, final int workerIndex)
    {
        return peerWorker.address();
    }

    @Override
    public ByteBuffer signals(final int rank, final Stage stage)
    {
        return peer.stages.of(stage).allocateSignals(1, 1).descriptor();
    }

    @Override
    public boolean exports(final int rank, final Stage stage, final int arena)
    {
        final Arena exported = peerMap.arenas().get(arena);
        return exported.isRemote() && exported.length() > 0;
    }

    @Override
    public ByteBuffer arena(final int rank, final int arena)
    {
        return peerMap.arenas().get(arena).region(Stage.SCALE_UP).descriptor();
    }

    @Override
    public Transport transport(final Stage stage)
    {
        return own.stages.of(stage);
    }
}
