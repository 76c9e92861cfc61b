/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.ucx;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.transload.spi.Access;
import dev.transload.spi.Availability;
import dev.transload.spi.Capabilities;
import dev.transload.spi.ConfigurationException;
import dev.transload.spi.MemoryKind;
import dev.transload.transport.ucx.internal.ucp.UcpBinding;
import dev.transload.transport.ucx.internal.ucp.UcpLibrary;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.openucx.jucx.ucp.UcpContext;
import org.openucx.jucx.ucp.UcpParams;
import org.openucx.jucx.ucp.UcpWorker;
import org.openucx.jucx.ucp.UcpWorkerParams;

/** An application that has UCX in use lends it. */
@NeedsUcx
@Timeout(120)
class UcxStackTest
{
    private UcpContext context;
    private UcpWorker lent;

    @BeforeEach
    void openContext()
    {
        UcpLibrary.load(UcpBinding.AUTO, Map.of());
        context = new UcpContext(params());
        lent = context.newWorker(new UcpWorkerParams());
    }

    @AfterEach
    void closeContext()
    {
        if (null != context.getNativeId())
        {
            lent.close();
            context.close();
        }
    }

    @Test
    void shouldUseWhatIsLentAndLeaveItOpen()
    {
        final UcxTransportProvider provider = new UcxTransportProvider(UcxStack.of(context, lent));
        for (int round = 1; round <= 2; round++)
        {
            try (Rank near = new Rank(0, provider, Map.of("direct", "never"));
                Rank far = new Rank(1, Map.of("tls", "posix,self")))
            {
                near.lane(far).exchange(round);
                far.lane(near).exchange(10 + round);
                assertSame(lent, ((UcxWorker)near.worker()).ucp());
                final UcxWorker own = (UcxWorker)near.transport().openWorker(1);
                assertTrue(lent != own.ucp(), "only one worker is lent");
                near.lane(own, far, far.target()).exchange(20 + round);
            }

            assertNotNull(context.getNativeId());
            assertNotNull(lent.getNativeId(), "and works, as the next round shows");
        }
    }

    @Test
    void shouldOpenTheLentWorkerAgain()
    {
        try (Rank near = new Rank(0, new UcxTransportProvider(UcxStack.of(context, lent)), Map.of());
            Rank far = new Rank(1, Map.of("tls", "posix,self")))
        {
            near.worker().close();
            near.lane(near.transport().openWorker(0), far, far.target()).operations().flush();
        }
    }

    @Test
    void shouldRefuseSettingsForALentContext()
    {
        final UcxTransportProvider provider = new UcxTransportProvider(UcxStack.of(context));
        for (final Map.Entry<String, String> setting : Map.of("tls", "tcp", "net-devices", "lo", "settings",
            "TEST_LENT=1").entrySet())
        {
            final ConfigurationException refusal = assertThrows(ConfigurationException.class,
                () -> provider.open(Rank.config(0, Map.of(setting.getKey(), setting.getValue()))));
            assertEquals("transload.ucx.tls, net-devices and settings are not allowed together with a context of " +
                "the application: set them when that is made", refusal.getMessage());
        }

        assertTrue(provider.probe(Rank.config(0, Map.of())) instanceof Availability.Available);
        assertNotNull(context.getNativeId(), "a probe closes nothing");
    }

    @Test
    void shouldDeclareHostMemoryOnlyWhateverUcxReaches()
    {
        final long hostCudaManagedAndRocm = 0b1111;
        try (UcpContext reachesDevices = new UcpContext(params())
            {
                @Override
                public long getMemoryTypesMask()
                {
                    return hostCudaManagedAndRocm;
                }
            };
            Rank rank = new Rank(0, new UcxTransportProvider(UcxStack.of(reachesDevices)), Map.of()))
        {
            final Capabilities capabilities = rank.transport().capabilities();
            assertEquals(Set.of(MemoryKind.HOST), capabilities.kinds());
            assertEquals(Set.of(MemoryKind.HOST), capabilities.remoteKinds());
            assertThrows(IllegalArgumentException.class,
                () -> rank.transport().allocate(MemoryKind.CUDA, 0, 4096, Access.LOCAL));
        }
    }

    @Test
    void shouldRefuseAClosedContext()
    {
        lent.close();
        context.close();
        assertEquals("context is closed: an open one is needed",
            assertThrows(IllegalArgumentException.class, () -> UcxStack.of(context)).getMessage());
    }

    private static UcpParams params()
    {
        return new UcpParams().requestRmaFeature().requestAtomic64BitFeature().requestAmFeature()
            .setMtWorkersShared(true).setConfig("TLS", "posix,self");
    }
}
