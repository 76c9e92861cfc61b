/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.runtime;

import dev.transload.engine.internal.connect.Connection;
import dev.transload.engine.internal.connect.PeerDirectory;
import dev.transload.engine.internal.connect.PeerMemories;
import dev.transload.engine.internal.connect.ThreadResources;
import dev.transload.engine.internal.connect.Transports;
import dev.transload.engine.internal.normal.Board;
import dev.transload.engine.internal.normal.Role;
import dev.transload.engine.internal.observe.ThreadCounters;
import dev.transload.engine.internal.plan.PlanWorkers;
import dev.transload.engine.internal.plan.TopkReader;
import dev.transload.engine.internal.ring.Cursor;
import dev.transload.engine.internal.wire.Wait;
import dev.transload.engine.internal.world.Stage;
import dev.transload.kernels.RowKernels;
import dev.transload.spi.MemoryRegion;
import dev.transload.spi.Transport;
import dev.transload.spi.Worker;
import java.util.ArrayList;
import java.util.List;
import org.agrona.concurrent.Agent;

/**
 * A thread's share of the engine: one worker per transport, row kernels, connections, and the roles that use them. Its
 * agent is run by a thread of its own or by the embedding program.
 */
public final class ProgressThread implements Agent, ThreadResources
{
    private final int engine;
    private final int index;
    private final Board board;
    private final Transports stages;
    private final PeerDirectory directory;
    private final List<Transport> transports;
    private final List<Worker> workers = new ArrayList<>();
    private final RowKernels kernels;
    private PeerMemories peerMemories;
    private final List<Connection> connections = new ArrayList<>();
    private final List<Role<?>> roles = new ArrayList<>();
    private final Cursor ready = new Cursor();
    private final Cursor quiet = new Cursor();
    private final ThreadCounters counters;
    private final WaitWatch watch;
    private final OpenRoles open;
    private final PlanWorkers planWorkers;
    private final TopkReader reader;
    private Conductor conductor;
    private boolean isStarted;
    private boolean isReady;
    private boolean isQuiet;

    /**
     * With workers of its own.
     *
     * @param index     of the thread among those of the engine.
     * @param directory what peers will have published by the time this thread starts.
     * @param kernels   row kernels of the payload's memory kind, owned by this thread from its start on.
     * @param planWorkers      which this thread is part of.
     * @param counters     of what this thread moves and waits for.
     */
    public ProgressThread(
        final int engine, final int index, final Board board, final Transports stages,
        final PeerDirectory directory, final RowKernels kernels, final PlanWorkers planWorkers, final TopkReader reader,
        final ThreadCounters counters)
    {
        this.engine = engine;
        this.index = index;
        this.board = board;
        this.stages = stages;
        this.directory = directory;
        this.kernels = kernels;
        this.planWorkers = planWorkers;
        this.reader = reader;
        this.counters = counters;
        this.watch =
            new WaitWatch(board, roles, new StalledConnections(directory.rank(), connections, kernels), counters);
        final Role<?> gate = new EventGate(directory.rank(), kernels, connections);
        this.roles.add(gate);
        this.open = new OpenRoles(board, roles, gate, counters);
        this.transports = stages.distinct();
        for (final Transport transport : transports)
        {
            workers.add(stages.openWorker(transport, index));
        }
    }

    /**
     * A connection of this thread, one for each (stage, channel, peer) and use; before the thread starts.
     *
     * @param channel of the pipeline, −1 for meta messages.
     * @param use     what goes by it, whose fences hold back nothing else.
     * @return connection, opened when the thread starts.
     */
    public Connection connection(final Stage stage, final int channel, final int peer, final Connection.Use use)
    {
        for (final Connection connection : connections)
        {
            if (connection.stage() == stage && connection.channelIndex() == channel && connection.peer() == peer &&
                connection.use() == use)
            {
                return connection;
            }
        }

        final Connection connection = new Connection(stage, channel, peer, use, directory, counters);
        connections.add(connection);
        return connection;
    }

    /**
     * Add a role; before the thread starts.
     *
     * @param role to run; urgent ones come before the others, behind the gate.
     */
    public void add(final Role<?> role)
    {
        int place = roles.size();
        while (role.isUrgent() && place > 1 && !roles.get(place - 1).isUrgent())
        {
            place--;
        }

        roles.add(place, role);
    }

    void conduct(final Conductor one)
    {
        conductor = one;
    }

    @Override
    public Worker worker(final Stage stage)
    {
        final Transport transport = stages.of(stage);
        return null == transport ? null : workers.get(transports.indexOf(transport));
    }

    @Override
    public RowKernels kernels()
    {
        return kernels;
    }

    /** Give it what it reaches of the node's tensors; before the thread starts. */
    public void reach(final PeerMemories reached)
    {
        peerMemories = reached;
    }

    @Override
    public PeerMemories peerMemories()
    {
        return peerMemories;
    }

    @Override
    public void acquire(final Stage stage, final MemoryRegion region)
    {
        if (!region.kind().isHost())
        {
            worker(stage).acquire(region);
        }
    }

    @Override
    public int doWork()
    {
        if (isQuiet)
        {
            return conduct(System.nanoTime());
        }

        try
        {
            start();
            if (board.isRevoked())
            {
                quiesce();
                return 1;
            }

            return cycle();
        }
        catch (final RuntimeException | Error ex)
        {
            board.fail(ex);
            return conduct(System.nanoTime());
        }
    }

    private int conduct(final long nowNs)
    {
        return null == conductor ? 0 : conductor.doWork(nowNs);
    }

    /** Close what this thread was given and opened, if it never ran. */
    public void abandon()
    {
        if (!isStarted)
        {
            close(kernels);
            workers.forEach(this::close);
        }
    }

    private void start()
    {
        if (!isStarted)
        {
            isStarted = true;
            for (int i = 0; i < connections.size(); i++)
            {
                final Connection connection = connections.get(i);
                connection.open(worker(connection.stage()), index, sibling(i));
            }
        }
    }

    private Connection sibling(final int opened)
    {
        final Connection connection = connections.get(opened);
        for (int i = 0; i < opened; i++)
        {
            if (connections.get(i).stage() == connection.stage() && connections.get(i).peer() == connection.peer())
            {
                return connections.get(i);
            }
        }

        return null;
    }

    private int cycle()
    {
        int work = kernels.progress();
        for (int i = 0, size = workers.size(); i < size; i++)
        {
            work += workers.get(i).progress();
        }

        if (!isReady)
        {
            work += becomeReady();
        }

        if (null == board.failure())
        {
            work += open.doWork();
            watch.cycle(work, open.nowNs());
        }

        work += conduct(open.nowNs());

        // The next call's rows can wait until there is nothing to do for this one.
        return 0 == work ? planWorkers.doWork(index, reader) : work;
    }

    /**
     * What this thread's roles wait for, refreshed several times a second.
     *
     * @return wait, or null for nothing.
     */
    Wait report()
    {
        return watch.report();
    }

    /** Refresh it now. */
    void look(final boolean isSteady)
    {
        watch.look(isSteady);
    }

    @Override
    public ThreadCounters counters()
    {
        return counters;
    }

    private int becomeReady()
    {
        for (final Connection connection : connections)
        {
            if (!connection.isConnected())
            {
                return 0;
            }
        }

        isReady = true;
        ready.setRelease(1);
        return 1;
    }

    /** Which connections are not connected, for messages. */
    public static String unconnected(final List<ProgressThread> threads)
    {
        for (final ProgressThread thread : threads)
        {
            for (final Connection connection : thread.connections)
            {
                if (!connection.wasConnected())
                {
                    return "rank " + connection.peer() + " did not answer over " + connection.stage();
                }
            }
        }

        return "all links were connected just now";
    }

    /**
     * Report what ended this thread.
     *
     * @param error that its agent did not catch.
     */
    public void fail(final Throwable error)
    {
        board.fail(error);
    }

    private void quiesce()
    {
        isQuiet = true;
        watch.resume();
        try
        {
            // Row kernels read through imports, which end with the workers.
            connections.forEach(this::close);
            close(kernels);
            workers.forEach(this::close);
        }
        finally
        {
            quiet.setRelease(1);
        }
    }

    /** Where one cannot be closed, the others still are: they may refer to a caller's memory. */
    private void close(final AutoCloseable resource)
    {
        try
        {
            resource.close();
        }
        catch (final Exception ex)
        {
            board.fail(ex);
        }
    }

    /** Whether all connections are connected. */
    public boolean isReady()
    {
        return ready.getAcquire() > 0;
    }

    /**
     * Whether this thread's channels are closed.
     *
     * @return true once nothing of it touches a caller's memory.
     */
    public boolean isQuiet()
    {
        return quiet.getAcquire() > 0;
    }

    /** Roles of this thread. */
    public List<Role<?>> roles()
    {
        return roles;
    }

    @Override
    public String roleName()
    {
        return "transload-engine-" + (0 == engine ? "" : engine + "-") + index;
    }
}
