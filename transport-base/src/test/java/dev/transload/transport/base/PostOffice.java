/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.base;

import dev.transload.spi.TransportException;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/** Control messages between the ranks of one JVM, delivered as soon as they are polled, and stopped at will. */
final class PostOffice
{
    private final Map<Long, Box> boxes = new ConcurrentHashMap<>();

    /** Where one rank sends and receives. */
    final class Box implements ControlMedium
    {
        private final Queue<DirectBuffer> inbox = new ConcurrentLinkedQueue<>();
        private volatile boolean isStuck;
        private volatile boolean isClosed;
        private volatile int refusalStatus;
        private volatile int openStreams;

        @Override
        public int drive()
        {
            return 0;
        }

        @Override
        public int poll(final MessageHandler handler, final int limit)
        {
            int count = 0;
            while (count < limit && !inbox.isEmpty())
            {
                final DirectBuffer message = inbox.poll();
                handler.onMessage(message, 0, message.capacity());
                count++;
            }

            return count;
        }

        @Override
        public ControlStream open(final PeerIdentity peer)
        {
            if (0 != refusalStatus)
            {
                throw new TransportException("no road", refusalStatus, null);
            }

            openStreams++;
            return new Road(this, peer);
        }

        @Override
        public boolean isClosed()
        {
            return isClosed;
        }

        @Override
        public String closedReason()
        {
            return "the post office is closed";
        }

        @Override
        public void close()
        {
            isClosed = true;
        }

        /** Nothing that is sent from here on goes out before the opposite is said. */
        void stick(final boolean stuck)
        {
            isStuck = stuck;
        }

        /** No stream can be made from here on. */
        void refuse(final int status)
        {
            refusalStatus = status;
        }

        int openStreams()
        {
            return openStreams;
        }

        void deliver(final DirectBuffer message)
        {
            inbox.add(message);
        }

        DirectBuffer take()
        {
            return inbox.poll();
        }
    }

    /** The way from one rank to another. */
    private final class Road implements ControlStream
    {
        private final Box from;
        private final PeerIdentity peer;
        private boolean isClosed;

        private Road(final Box from, final PeerIdentity peer)
        {
            this.from = from;
            this.peer = peer;
        }

        @Override
        public boolean offer(final DirectBuffer message)
        {
            final Box to = boxes.get(peer.transportId());
            if (isClosed || from.isStuck || null == to)
            {
                return false;
            }

            final byte[] bytes = new byte[message.capacity()];
            message.getBytes(0, bytes);
            to.deliver(new UnsafeBuffer(bytes));
            return true;
        }

        @Override
        public void close()
        {
            if (!isClosed)
            {
                isClosed = true;
                from.openStreams--;
            }
        }
    }

    Box box(final PeerIdentity owner)
    {
        return boxes.computeIfAbsent(owner.transportId(), (id) -> new Box());
    }
}
