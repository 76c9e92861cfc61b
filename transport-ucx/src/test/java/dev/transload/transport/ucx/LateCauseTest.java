/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.ucx;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.transload.spi.Channel;
import dev.transload.spi.PeerFailedException;
import dev.transload.transport.ucx.internal.ucp.UcpCalls;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** UCX cancels operations of a connection that broke, and says what broke it while it is driven afterwards. */
@NeedsUcx
@Timeout(60)
class LateCauseTest
{
    private static final Map<String, String> OPTIONS = Map.of("tls", "tcp");
    private static final int DRIVES = 3;
    private static final Runnable NOTHING = () ->
    {
    };

    private final PeerFailedException cause = new PeerFailedException(1, "its endpoint broke", -80, null);
    private int drives;

    @Test
    void shouldNameWhatBrokeTheConnection() throws ReflectiveOperationException
    {
        try (Rank near = new Rank(0, OPTIONS); Rank far = new Rank(1, OPTIONS))
        {
            final Rank.Lane lane = near.lane(far);
            lane.exchange(1);
            final UcxChannel channel = (UcxChannel)lane.operations().channel();
            replaceCalls(channel, UcxChannel.class, NOTHING);
            replaceCalls(near.worker(), UcxWorker.class, () ->
            {
                if (++drives == DRIVES)
                {
                    channel.fail(cause);
                }
            });

            assertEquals(Channel.FAILED, channel.put(near.source(), 0, lane.remote(), 0, Long.BYTES));
            assertSame(cause, channel.failure());
        }
    }

    /** As an add over TCP, which UCX 1.16 cancels although nothing is broken. */
    @Test
    void shouldSayThatThereIsNoCause() throws ReflectiveOperationException
    {
        try (Rank near = new Rank(0, OPTIONS); Rank far = new Rank(1, OPTIONS))
        {
            final Rank.Lane lane = near.lane(far);
            lane.exchange(1);
            final UcxChannel channel = (UcxChannel)lane.operations().channel();
            replaceCalls(channel, UcxChannel.class, NOTHING);
            assertEquals(Channel.FAILED, channel.put(near.source(), 0, lane.remote(), 0, Long.BYTES));
            assertTrue(channel.failure().getMessage().endsWith(
                "put: Request canceled (-16), without a cause: UCX may log one with UCX_LOG_LEVEL=diag"),
                channel.failure().getMessage());
        }
    }

    /** Puts are cancelled, and who drives UCX is heard of. */
    private static void replaceCalls(final Object owner, final Class<?> type, final Runnable onProgress)
        throws ReflectiveOperationException
    {
        final Field field = type.getDeclaredField("calls");
        field.setAccessible(true);
        final UcpCalls calls = (UcpCalls)field.get(owner);
        field.set(owner, Proxy.newProxyInstance(UcpCalls.class.getClassLoader(), new Class<?>[] {UcpCalls.class},
            (proxy, method, arguments) ->
            {
                if ("put".equals(method.getName()))
                {
                    return UcpCalls.CANCELED;
                }

                if ("progress".equals(method.getName()))
                {
                    onProgress.run();
                }

                try
                {
                    return method.invoke(calls, arguments);
                }
                catch (final InvocationTargetException ex)
                {
                    throw ex.getCause();
                }
            }));
    }
}
