/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine;

import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.transload.engine.loopback.InterceptedKernels;
import dev.transload.engine.loopback.LoopbackNetwork;
import dev.transload.kernels.RowKernels;
import dev.transload.kernels.host.HostRowKernelsProvider;
import dev.transload.rendezvous.InMemoryRendezvous;
import dev.transload.spi.TransportRegistry;
import java.lang.reflect.Method;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A thread that a driver never lets go does not hang whoever closes the engine, and keeps the memory that it uses. */
@Timeout(60)
class StuckThreadTest
{
    private final CountDownLatch stuck = new CountDownLatch(1);
    private final CountDownLatch release = new CountDownLatch(1);
    private volatile boolean isHeld;

    @AfterEach
    void shouldLetGo()
    {
        release.countDown();
    }

    @Test
    void shouldNameTheThreadThatDoesNotEnd() throws Exception
    {
        final Scenario scenario = new Scenario(1);
        scenario.nodes = 1;
        scenario.ranksPerNode = 1;
        scenario.threads = 1;
        scenario.tokens = new int[]{1};
        final Engine engine = Engine.open(scenario.config(LoopbackNetwork.NAME), InMemoryRendezvous.world(1).get(0),
            TransportRegistry.of(List.of(new LoopbackNetwork(0))), KernelRegistry.of(List.of(new Kernels())));
        isHeld = true;
        stuck.await();

        Messages.assertContains(assertThrows(IllegalStateException.class, engine::close), "rank 0 keeps its memory",
            "until the process ends", "transload-engine-0 does not end, it stands at ");
    }

    /** As native code: an interrupt does not end it. */
    private void awaitRelease()
    {
        while (release.getCount() > 0)
        {
            LockSupport.parkNanos(1_000_000);
            Thread.interrupted();
        }
    }

    private final class Kernels extends InterceptedKernels
    {
        private Kernels()
        {
            super(new HostRowKernelsProvider());
        }

        @Override
        protected Object answer(final RowKernels kernels, final Method method, final Object[] arguments)
            throws Throwable
        {
            if (isHeld && "progress".equals(method.getName()))
            {
                stuck.countDown();
                awaitRelease();
            }

            return super.answer(kernels, method, arguments);
        }
    }
}
