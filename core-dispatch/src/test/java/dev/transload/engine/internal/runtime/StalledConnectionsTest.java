/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.runtime;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.transload.engine.internal.connect.Connection;
import dev.transload.engine.internal.connect.PeerDirectory;
import dev.transload.engine.internal.observe.ThreadCounters;
import dev.transload.engine.internal.wire.Wait;
import dev.transload.engine.internal.world.Stage;
import dev.transload.kernels.RowKernels;
import dev.transload.spi.Channel;
import dev.transload.spi.Worker;
import java.lang.reflect.Proxy;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class StalledConnectionsTest
{
    private static final int OWN = 0;
    private static final int PEER = 1;

    private final Map<String, Object> kernels = new HashMap<>(Map.of("position", 5L, "completedPosition", 5L));
    private final Map<String, Object> channel = new HashMap<>(Map.of("position", 112L, "releasedPosition", 112L));
    private final Wait wait = new Wait();

    @Test
    void shouldSayWhatDidNotMoveBetweenTwoLooks()
    {
        final StalledConnections links = links(PEER);
        assertFalse(links.find(wait), "at rest");
        channel.put("position", 113L);
        assertFalse(links.find(wait), "what was accepted since the last look had no time");
        assertTrue(links.find(wait));
        assertEquals("rank 1, channel 3, channel position: expected 113, seen 112", wait.describe());
        assertTrue(wait.isStalled());
        channel.put("releasedPosition", 113L);
        assertFalse(links.find(wait), "done");
    }

    @Test
    void shouldNotSayWhatMoves()
    {
        final StalledConnections links = links(PEER);
        for (long released = 100; released < 112; released++)
        {
            channel.put("releasedPosition", released);
            assertFalse(links.find(wait));
        }
    }

    @Test
    void shouldSayWhatTakesNothing()
    {
        final Connection link = link(PEER);
        final StalledConnections links = links(link);
        assertFalse(links.find(wait), "at rest");
        assertFalse(link.isAccepted(Channel.BACK_PRESSURED));
        channel.put("position", 113L);
        channel.put("releasedPosition", 113L);
        assertFalse(links.find(wait), "it took something since");
        assertFalse(links.find(wait), "and refused nothing since");
        assertFalse(link.isAccepted(Channel.BACK_PRESSURED));
        assertTrue(links.find(wait));
        assertEquals("rank 1, channel 3, channel position: expected 114, seen 113", wait.describe());
        assertTrue(wait.isStalled());
        assertFalse(links.find(wait), "nothing is to go any more");
    }

    @Test
    void shouldNotSayWhatTookNothingBeforeRowKernelsWereDone()
    {
        final Connection link = link(PEER);
        final StalledConnections links = links(link);
        assertFalse(links.find(wait), "at rest");
        kernels.putAll(Map.of("position", 6L, "completedPosition", 6L));
        assertFalse(link.isAccepted(Channel.BACK_PRESSURED));
        assertFalse(links.find(wait), "it may have waited for them");
        assertFalse(link.isAccepted(Channel.BACK_PRESSURED));
        assertTrue(links.find(wait));
    }

    @Test
    void shouldSayNothingWhileRowKernelsWork()
    {
        channel.put("position", 113L);
        kernels.put("completedPosition", 4L);
        final StalledConnections links = links(PEER);
        assertFalse(links.find(wait));
        assertFalse(links.find(wait));
        kernels.put("completedPosition", 5L);
        assertTrue(links.find(wait));
    }

    @Test
    void shouldNotSayTheOwnRank()
    {
        channel.put("position", 113L);
        final StalledConnections links = links(OWN);
        assertFalse(links.find(wait));
        assertFalse(links.find(wait));
    }

    private StalledConnections links(final int peer)
    {
        return links(link(peer));
    }

    private Connection link(final int peer)
    {
        final Connection link = new Connection(
            Stage.SCALE_UP, 3, peer, Connection.Use.GENERAL, answering(PeerDirectory.class, new HashMap<>()),
            new ThreadCounters(2));
        link.open(answering(Worker.class, Map.of("connect", answering(Channel.class, channel))), 0, null);
        return link;
    }

    private StalledConnections links(final Connection link)
    {
        return new StalledConnections(OWN, List.of(link), answering(RowKernels.class, kernels));
    }

    /** Something of a type whose methods answer as told, or with nothing. */
    private static <T> T answering(final Class<T> type, final Map<String, Object> answers)
    {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[]{type},
            (proxy, method, arguments) ->
            {
                final Class<?> result = method.getReturnType();
                final Object nothing = long.class == result ? (Object)0L : int.class == result ? (Object)0 :
                    boolean.class == result ? (Object)false : null;
                return answers.getOrDefault(method.getName(), nothing);
            }));
    }
}
