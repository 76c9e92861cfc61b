/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.base;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.transload.spi.Channel;
import dev.transload.spi.TransportException;
import dev.transload.spi.TransportUnavailableException;
import dev.transload.spi.Worker;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SocketMediumTest
{
    private static final int NO_LIMIT = Integer.MAX_VALUE;

    @TempDir
    private Path directory;

    private final List<SocketMedium> mediums = new ArrayList<>();
    private final List<Integer> heard = new ArrayList<>();
    private final List<Long> lost = new ArrayList<>();

    @AfterEach
    void close()
    {
        mediums.forEach(SocketMedium::close);
    }

    private SocketMedium listen(final int rank)
    {
        final SocketMedium medium = SocketMedium.listen(Ranks.TRANSPORT, socket(rank), (peer) -> socket(peer.rank()));
        medium.reportTo(lost::add);
        mediums.add(medium);
        return medium;
    }

    private Path socket(final int rank)
    {
        return directory.resolve("control-" + rank);
    }

    /** A message of which the first word is its number. */
    private static DirectBuffer message(final int number, final int length)
    {
        final UnsafeBuffer message = new UnsafeBuffer(ByteBuffer.allocateDirect(length));
        message.putInt(0, number);
        message.putInt(length - Integer.BYTES, number);
        return message;
    }

    private int receive(final SocketMedium medium, final int limit, final long sender)
    {
        medium.drive();
        return medium.poll((buffer, offset, length) ->
        {
            assertEquals(buffer.getInt(offset), buffer.getInt(offset + length - Integer.BYTES));
            heard.add(buffer.getInt(offset));
            return sender;
        }, limit);
    }

    @Test
    void shouldCarryMessagesWholeAndInOrder()
    {
        final SocketMedium to = listen(1);
        final ControlStream stream = listen(0).open(Ranks.identity(1));
        assertTrue(stream.offer(message(7, Integer.BYTES)));
        assertTrue(stream.offer(message(8, SocketMedium.MAX_MESSAGE_LENGTH)));
        assertTrue(stream.offer(message(9, 100)));
        Await.until(() -> receive(to, NO_LIMIT, 5) >= 0 && 3 == heard.size());
        assertEquals(List.of(7, 8, 9), heard);
        assertEquals(List.of(), lost);
    }

    @Test
    void shouldHandOverNoMoreThanTheLimit()
    {
        final SocketMedium to = listen(1);
        final ControlStream stream = listen(0).open(Ranks.identity(1));
        for (int i = 0; i < 3; i++)
        {
            assertTrue(stream.offer(message(i, 24)));
        }

        Await.until(() -> receive(to, 2, 5) > 0);
        assertEquals(List.of(0, 1), heard);
        assertEquals(1, receive(to, 2, 5));
    }

    @Test
    void shouldRefuseWhatAPeerDoesNotTakeAndLoseNothing()
    {
        final SocketMedium to = listen(1);
        final SocketMedium from = listen(0);
        final ControlStream stream = from.open(Ranks.identity(1));
        int sent = 0;
        while (stream.offer(message(sent, SocketMedium.MAX_MESSAGE_LENGTH)))
        {
            sent++;
        }

        final int all = sent;
        Await.until(() -> receive(to, NO_LIMIT, 5) + from.drive() >= 0 && all == heard.size());
        for (int i = 0; i < all; i++)
        {
            assertEquals(i, heard.get(i));
        }

        assertTrue(stream.offer(message(all, 24)));
        assertThrows(IllegalArgumentException.class,
            () -> stream.offer(message(0, SocketMedium.MAX_MESSAGE_LENGTH + 1)));
    }

    @Test
    void shouldReportAPeerWhoseConnectionEnds()
    {
        final SocketMedium to = listen(1);
        final SocketMedium from = listen(0);
        final ControlStream back = to.open(Ranks.identity(0));
        assertTrue(from.open(Ranks.identity(1)).offer(message(3, 24)));
        assertTrue(back.offer(message(4, 24)));
        from.close();
        assertTrue(from.isClosed());
        Await.until(() -> receive(to, NO_LIMIT, 77) >= 0 && !lost.isEmpty());
        assertEquals(List.of(77L), lost);
        assertEquals(List.of(3), heard, "what came before the end");
        assertThrows(TransportException.class, () ->
        {
            back.offer(message(5, 24));
            back.offer(message(6, 24));
        });
        assertTrue(assertThrows(TransportException.class, () -> to.open(Ranks.identity(0))).getMessage()
            .contains(socket(0).toString()));
    }

    @Test
    void shouldEndAConnectionThatSpeaksOtherwise() throws IOException
    {
        final SocketMedium to = listen(1);
        try (SocketChannel stranger = SocketChannel.open(StandardProtocolFamily.UNIX))
        {
            stranger.connect(UnixDomainSocketAddress.of(socket(1)));
            stranger.write(ByteBuffer.allocate(8).putInt(-1).flip());
            // Read until the other side closes, which it does within the following rounds.
            stranger.configureBlocking(false);
            Await.until(() -> receive(to, NO_LIMIT, 5) >= 0 && hasEnded(stranger));
        }

        assertEquals(List.of(), heard);
        assertEquals(List.of(), lost);
    }

    @Test
    void shouldSayWhereItCannotListen()
    {
        final TransportUnavailableException thrown = assertThrows(TransportUnavailableException.class,
            () -> SocketMedium.listen(Ranks.TRANSPORT, directory.resolve("x".repeat(200)), (peer) -> directory));
        assertTrue(thrown.getMessage().contains("transload.carrier.region-directory"), thrown.getMessage());
    }

    @Test
    void shouldConnectRanksAndPartThem()
    {
        final PeerIdentity there = Ranks.identity(1);
        final PlainTransport second = PlainTransport.open(there, listen(1));
        final PlainTransport first = PlainTransport.open(Ranks.identity(0), listen(0));
        final Worker worker = first.openWorker(0);
        final Worker peer = second.openWorker(0);
        final Channel channel = worker.connect(1, 1, peer.address());
        Await.until(() -> worker.progress() > 0);
        assertEquals(1, channel.fence());
        second.close();
        Await.until(() -> null != channel.failure());
        assertTrue(channel.failure().getMessage().endsWith("it has closed its transport"));
        first.close();
    }

    private static boolean hasEnded(final SocketChannel socket)
    {
        try
        {
            return socket.read(ByteBuffer.allocate(1)) < 0;
        }
        catch (final IOException ex)
        {
            // Closed with bytes that it had not read.
            return null != ex.getMessage();
        }
    }
}
