/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.ucx;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.transload.spi.Access;
import dev.transload.spi.Capability;
import dev.transload.spi.MemoryKind;
import dev.transload.spi.MemoryRegion;
import dev.transload.transport.ucx.internal.ucp.UcpBinding;
import dev.transload.transport.ucx.internal.ucp.UcpLibrary;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.openucx.jucx.ucp.UcpContext;
import org.openucx.jucx.ucp.UcpParams;

/** What the kit does not know of windows: which settings give them, and whose memory has one. */
@NeedsUcx
@Timeout(120)
class WindowTest
{
    private static final Map<String, String> POSIX = Map.of("tls", "posix,self");

    @ParameterizedTest
    @CsvSource({"posix;self, auto, auto, true", "sysv;self, auto, auto, true", "posix;self, auto, none, true",
        "posix;self, never, auto, false", "tcp, auto, auto, false", "self;tcp, auto, peer, false"})
    void shouldPromiseWindowsWhereMemoryCanBeMapped(
        final String tls, final String direct, final String errorHandling, final boolean isPromised)
    {
        try (Rank rank = new Rank(0,
            Map.of("tls", tls.replace(';', ','), "direct", direct, "error-handling", errorHandling)))
        {
            assertEquals(isPromised, rank.transport().capabilities().has(Capability.WINDOWS));
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldOutliveTheChannelThatMappedTheMemoryToo(final boolean isChannelFirst)
    {
        try (Rank near = new Rank(0, POSIX); Rank far = new Rank(1, POSIX))
        {
            final Rank.Lane first = near.lane(far);
            final MemoryRegion early = isChannelFirst ? null : first.remote().window();
            first.exchange(31);
            final MemoryRegion window = first.remote().window();
            assertSame(isChannelFirst ? window : early, window);
            first.operations().channel().close();
            assertEquals(31, window.hostView(8, Long.BYTES).getLong(0));
            window.hostView(16, Long.BYTES).putLong(0, 32);
            assertEquals(32, far.target().hostView(16, Long.BYTES).getLong(0));

            final Rank.Lane second = near.lane(far);
            second.operations().accept(() ->
                second.operations().channel().put(window, 8, first.remote(), 24, Long.BYTES));
            second.operations().flush();
            assertEquals(31, far.target().hostView(24, Long.BYTES).getLong(0));
        }
    }

    @Test
    void shouldBeClosedWithTheTransport()
    {
        final MemoryRegion window;
        try (Rank near = new Rank(0, POSIX); Rank far = new Rank(1, POSIX))
        {
            window = near.lane(far).remote().window();
            assertEquals(0, window.hostView(0, 1).get(0));
        }

        assertThrows(IllegalStateException.class, () -> window.hostView(0, 1));
    }

    /** Keys of UCX name its ways by numbers, which are others there. */
    @Test
    void shouldHaveNoneOfARankThatSetsUpUcxOtherwise()
    {
        try (Rank near = new Rank(0, POSIX); Rank far = new Rank(1, Map.of("tls", "self,posix,tcp")))
        {
            final Rank.Lane lane = near.lane(far);
            assertNull(lane.remote().window());
            lane.exchange(41);
            assertNotNull(near.lane(near).remote().window(), "the own rank has one");
        }
    }

    @Test
    void shouldHaveNoneWithALentContext()
    {
        UcpLibrary.load(UcpBinding.AUTO, Map.of());
        final UcpContext context = new UcpContext(new UcpParams().requestRmaFeature().requestAtomic64BitFeature()
            .requestAmFeature().setMtWorkersShared(true).setConfig("TLS", "posix,self"));
        try (Rank near = new Rank(0, new UcxTransportProvider(UcxStack.of(context)), Map.of());
            Rank far = new Rank(1, POSIX))
        {
            assertFalse(near.transport().capabilities().has(Capability.WINDOWS));
            assertNull(near.lane(far).remote().window());
            assertNull(near.lane(near).remote().window());
        }
        finally
        {
            context.close();
        }
    }

    /** UCX maps what it allocated; a pointer to other memory of another process it has not. */
    @Test
    void shouldHaveNoneOfMemoryThatAPeerRegistered()
    {
        try (Rank near = new Rank(0, POSIX); Rank far = new Rank(1, POSIX))
        {
            final MemoryRegion theirs = far.transport().register(
                MemoryKind.HOST, 0, far.source().address(), Rank.LENGTH, Access.REMOTE);
            assertNull(near.lane(near.worker(), far, theirs).remote().window());
            final MemoryRegion ours = near.transport().register(
                MemoryKind.HOST, 0, near.source().address(), Rank.LENGTH, Access.REMOTE);
            assertEquals(near.source().address(), near.lane(near.worker(), near, ours).remote().window().address());
        }
    }

    @Test
    void shouldRegisterAPartOfWhatIsRegistered()
    {
        try (Rank near = new Rank(0, POSIX); Rank far = new Rank(1, POSIX);
            MemoryRegion part = far.transport().register(
                MemoryKind.HOST, 0, far.target().address() + 128, 1024, Access.REMOTE))
        {
            assertEquals(far.target().address() + 128, part.address());
            final Rank.Lane lane = near.lane(near.worker(), far, part);
            near.source().hostView(0, Long.BYTES).putLong(0, 51);
            lane.operations().accept(() ->
                lane.operations().channel().put(near.source(), 0, lane.remote(), 8, Long.BYTES));
            lane.operations().flush();
            assertEquals(51, far.target().hostView(128 + 8, Long.BYTES).getLong(0));
        }
    }
}
