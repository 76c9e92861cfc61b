/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.runtime;

import dev.transload.engine.WaitCounter;
import dev.transload.engine.internal.connect.ArenaMap;
import dev.transload.engine.internal.connect.Connection;
import dev.transload.engine.internal.connect.Section;
import dev.transload.engine.internal.wire.StatusPage;
import dev.transload.engine.internal.wire.Wait;
import dev.transload.engine.internal.world.Stage;
import dev.transload.spi.Channel;
import dev.transload.spi.TransportException;
import java.util.List;

/**
 * After a deadline: says which rank this one waits for, and loads that rank's status page to say which one it waits for
 * in turn. It never says that a rank is dead, since nobody knows.
 */
final class Diagnosis
{
    private static final long LOAD_TIMEOUT_NS = 250_000_000L;

    private final ArenaMap map;
    private final List<Connection> connections;
    private final int ownRank;
    private final Wait wait = new Wait();
    private boolean isUnderWay;
    private Connection connection;
    private long beginNs;
    private long loadPosition;
    private boolean isFlushed;

    Diagnosis(final ArenaMap map, final List<Connection> connections, final int ownRank)
    {
        this.map = map;
        this.connections = connections;
        this.ownRank = ownRank;
    }

    boolean isUnderWay()
    {
        return isUnderWay;
    }

    /** A call that came through late must not be held against the next one. */
    void reset()
    {
        isUnderWay = false;
    }

    int rank()
    {
        return wait.rank();
    }

    void begin(final Wait cause, final long nowNs)
    {
        isUnderWay = true;
        beginNs = nowNs;
        connection = null;
        loadPosition = 0;
        isFlushed = false;
        if (null == cause)
        {
            wait.set(-1, -1, WaitCounter.POSITION, 0, 0);
            return;
        }

        wait.copy(cause);
        for (final Connection candidate : connections)
        {
            if (candidate.peer() == wait.rank() && wait.rank() != ownRank)
            {
                connection = candidate;
            }
        }
    }

    /** The verdict, or null while a load is on its way. */
    String poll(final long nowNs)
    {
        if (wait.rank() < 0)
        {
            return "it waits for no rank";
        }

        final String own = "it waits for " + wait.describe();
        if (null == connection)
        {
            return own;
        }

        try
        {
            if (isLoaded())
            {
                return own + "; " + StatusPage.describe(map.loadedStatus.buffer(), wait.rank());
            }
        }
        catch (final TransportException ex)
        {
            return own + "; asked for its status: " + ex.getMessage();
        }

        return nowNs - beginNs > LOAD_TIMEOUT_NS ? own + "; its status could not be loaded in time" : null;
    }

    private boolean isLoaded()
    {
        final Channel channel = connection.channel();
        final Section page = Stage.SCALE_OUT == connection.stage() ? map.statusOut : map.statusUp;
        if (0 == loadPosition)
        {
            final long position = channel.load(connection.remote(page), page.offset(0),
                map.loadedStatus.arena().region(connection.stage()), map.loadedStatus.offset(0), StatusPage.BYTES);
            loadPosition = connection.isAccepted(position) ? position : 0;
        }

        if (loadPosition > 0 && !isFlushed)
        {
            isFlushed = connection.isAccepted(channel.flush());
        }

        return isFlushed && channel.deliveredPosition() >= loadPosition;
    }
}
