/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.base;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.transload.spi.Channel;
import dev.transload.spi.TransportConfig;
import dev.transload.spi.Worker;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.agrona.concurrent.IdleStrategy;
import org.junit.jupiter.api.Test;

/** The control plane of two ranks, each with its own thread. */
class ControlAgentTest
{
    private static final long MAX_PARK_NS = TimeUnit.MILLISECONDS.toNanos(4);

    private final PostOffice office = new PostOffice();

    private ControlAgent agent(final PeerIdentity own, final String idle)
    {
        final ControlAgent agent = new ControlAgent(
            TransportConfig.builder().rank(own.rank()).worldSize(8).build(), own, office.box(own), (worker) -> true,
            AgentIdle.of(idle, MAX_PARK_NS));
        agent.start();
        return agent;
    }

    @Test
    void shouldConnectAndPart()
    {
        final PeerIdentity here = Ranks.identity(0);
        final PeerIdentity there = Ranks.identity(1);
        final PlainTransport first = PlainTransport.open(here, office.box(here));
        final ControlAgent second = agent(there, "yield");
        final Worker worker = first.openWorker(0);
        final Channel channel = worker.connect(1, 1, new WorkerAddress(0, there).encode());
        Await.until(() -> worker.progress() > 0);
        assertEquals(1, channel.fence());
        second.close();
        Await.until(() -> null != channel.failure());
        assertTrue(channel.failure().getMessage().endsWith("it has closed its transport"));
        worker.close();
        first.close();
        assertTrue(office.box(here).isClosed());
        assertTrue(office.box(there).isClosed());
    }

    @Test
    void shouldDropDeadWhenHalted()
    {
        final PeerIdentity here = Ranks.identity(5);
        final ControlAgent agent = agent(here, "sleep");
        agent.halt();
        Await.until(() -> threads("transload-carrier-5") == 0);
        assertFalse(office.box(here).isClosed(), "a crash closes nothing");
        agent.close();
        assertTrue(office.box(here).isClosed());
    }

    @Test
    void shouldGoOnAfterACommandThatFails() throws InterruptedException
    {
        final PeerIdentity here = Ranks.identity(0);
        final ControlAgent agent = agent(here, "spin");
        final CountDownLatch done = new CountDownLatch(1);
        final AtomicReference<String> thread = new AtomicReference<>();
        agent.execute(() ->
        {
            throw new IllegalStateException("thrown by a test");
        });
        agent.execute(() ->
        {
            thread.set(Thread.currentThread().getName());
            done.countDown();
        });
        assertTrue(done.await(60, TimeUnit.SECONDS));
        assertEquals("transload-carrier-0", thread.get());
        agent.close();
    }

    @Test
    void shouldGoOnWhenInterrupted()
    {
        final ControlAgent agent = agent(Ranks.identity(0), "yield");
        final AtomicBoolean isInterrupted = new AtomicBoolean(true);
        agent.execute(() -> Thread.currentThread().interrupt());
        Await.until(() ->
        {
            agent.execute(() -> isInterrupted.set(Thread.currentThread().isInterrupted()));
            return !isInterrupted.get();
        });
        agent.close();
    }

    @Test
    void shouldKnowItsIdleStrategies()
    {
        for (final String name : List.of("backoff", "yield", "spin"))
        {
            final IdleStrategy idle = AgentIdle.of(name, MAX_PARK_NS);
            idle.idle(1);
            idle.idle(0);
            assertEquals(name, idle.alias());
        }

        assertThrows(IllegalArgumentException.class, () -> AgentIdle.of("doze", MAX_PARK_NS));
    }

    private static long threads(final String name)
    {
        return Thread.getAllStackTraces().keySet().stream().filter((thread) -> name.equals(thread.getName())).count();
    }
}
