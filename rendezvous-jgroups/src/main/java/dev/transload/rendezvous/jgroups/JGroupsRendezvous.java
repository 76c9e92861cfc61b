/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.rendezvous.jgroups;

import dev.transload.rendezvous.LocalProcess;
import dev.transload.rendezvous.Member;
import dev.transload.rendezvous.Rendezvous;
import dev.transload.rendezvous.RendezvousException;
import dev.transload.rendezvous.RendezvousListener;
import dev.transload.rendezvous.WorldBoard;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import org.jgroups.JChannel;

/**
 * Rendezvous of JVMs that connect through JGroups over TCP. If the process of a member ends, its connections close, and
 * the other ranks detect the failure within about a second. A member that stops answering is reported after the
 * configured failure timeout. A new process of a lost rank that joins with the same configuration takes its place.
 */
public final class JGroupsRendezvous implements Rendezvous
{
    private final Group group;
    private final WorldBoard board;
    private final int rank;

    private JGroupsRendezvous(final Group group, final WorldBoard board, final int rank)
    {
        this.group = group;
        this.board = board;
        this.rank = rank;
    }

    /**
     * Joins the other ranks and waits until all of them have joined. If a formed world has lost this rank, joins it.
     *
     * @param config rank, world size, addresses and timeouts.
     * @return formed world.
     * @throws RendezvousException if the world did not form; the reason and the message of the exception say why. No
     *                             thread is left running, and no connection is left open.
     */
    public static JGroupsRendezvous join(final JGroupsRendezvousConfig config)
    {
        return join(config, Objects::requireNonNull);
    }

    /** For tests, which make the channel lose messages. */
    static JGroupsRendezvous join(final JGroupsRendezvousConfig config, final Consumer<JChannel> preparation)
    {
        final Claim claim = new Claim(config.worldSize(), LocalProcess.asMember(config.rank()));
        final Group group = new Group(config, claim, preparation);
        JGroupsRendezvous joined = null;
        try
        {
            joined = new JGroupsRendezvous(group, group.form(), config.rank());
            return joined;
        }
        finally
        {
            if (null == joined)
            {
                group.leave();
            }
        }
    }

    @Override
    public int rank()
    {
        return rank;
    }

    @Override
    public int worldSize()
    {
        return board.members().size();
    }

    @Override
    public Member member(final int ofRank)
    {
        return board.member(ofRank);
    }

    @Override
    public boolean hasReturned()
    {
        return group.hasReturned();
    }

    @Override
    public List<ByteBuffer> allGather(
        final String topic, final ByteBuffer mine, final Duration timeout, final List<Member> members)
    {
        Objects.requireNonNull(topic, "topic");
        final byte[] bytes = copyOf(mine);
        synchronized (board)
        {
            board.claim(topic);
            board.contributed(rank, topic, bytes);
        }
        group.sendToOthers(Group.Kind.CONTRIBUTION, topic, bytes);
        return board.await(topic, timeout, members);
    }

    @Override
    public void announce(final ByteBuffer message)
    {
        if (message.remaining() > MAX_ANNOUNCEMENT_BYTES)
        {
            throw new IllegalArgumentException("an announcement of " + message.remaining() +
                " bytes is too long; at most " + MAX_ANNOUNCEMENT_BYTES + " bytes are allowed");
        }
        board.checkOpen("announce");
        group.sendToOthers(Group.Kind.ANNOUNCEMENT, "", copyOf(message));
    }

    @Override
    public void listen(final RendezvousListener listener)
    {
        board.listen(listener);
    }

    @Override
    public void close()
    {
        group.leave();
        board.close();
    }

    private static byte[] copyOf(final ByteBuffer source)
    {
        final byte[] bytes = new byte[source.remaining()];
        source.duplicate().get(bytes);
        return bytes;
    }
}
