/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.connect;

import dev.transload.rendezvous.Member;
import dev.transload.rendezvous.Rendezvous;
import dev.transload.spi.PeerFailedException;
import dev.transload.spi.ConfigurationException;
import dev.transload.spi.TransportRegistry;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;

/**
 * An engine's part of a context: its number, by which its exchanges and announcements are told from those of other
 * engines of the world, and its memory that peers write to.
 */
public final class EngineScope implements AutoCloseable
{
    private final SharedTransports context;
    private final int number;
    private final Resources written = new Resources();
    /** Once it is retired. */
    private final Resources keptLater = new Resources();
    private List<Integer> present;
    /** The processes that take part, in this order. */
    private List<Member> members;
    /** Whether this engine's others may know of it: else nothing is announced in its name. */
    private boolean isMet;
    private boolean isRetired;
    private boolean isClosed;

    EngineScope(final SharedTransports context, final int number)
    {
        this.context = context;
        this.number = number;
        this.present = IntStream.range(0, context.rendezvous().worldSize()).boxed().toList();
        this.members = context.members(present);
    }

    /** Only some ranks take part, this one among them: no other is asked, and losses of others are none of its. */
    public void only(final List<Integer> ranks)
    {
        present = List.copyOf(ranks);
        members = context.members(present);
        context.news().only(number, members);
    }

    /**
     * Ranks that take part.
     *
     * @return ranks, ascending.
     */
    public List<Integer> present()
    {
        return present;
    }

    /**
     * Which engine of the context it is.
     *
     * @return number in the order of opening, from 0; equal on all ranks.
     */
    public int number()
    {
        return number;
    }

    /** The world, of which an engine asks its members only. */
    public Rendezvous world()
    {
        return context.rendezvous();
    }

    /** Which life of this rank it is. */
    public long incarnation()
    {
        return world().member(world().rank()).incarnation();
    }

    /**
     * Which life of a rank takes part. One that returns while engines open is not meant.
     *
     * @param rank present rank.
     */
    public long incarnation(final int rank)
    {
        return members.get(present.indexOf(rank)).incarnation();
    }

    /** Whether a transport reports a process that takes part: not an absent one, and no predecessor of another. */
    public boolean isMeant(final PeerFailedException failure)
    {
        return present.contains(failure.peer()) &&
            (0 == failure.incarnation() || incarnation(failure.peer()) == failure.incarnation());
    }

    /** Transports that its context knows. */
    public TransportRegistry transports()
    {
        return context.registry();
    }

    SharedTransports context()
    {
        return context;
    }

    /**
     * What every present rank says to this engine's others.
     *
     * @param mine own words.
     * @return words in the order of {@link #present()}.
     * @throws ConfigurationException if another context uses the rendezvous.
     */
    public List<ByteBuffer> allGather(final String topic, final ByteBuffer mine, final Duration timeout)
    {
        final boolean wasMet = isMet;
        isMet = true;
        try
        {
            return world().allGather("transload." + number + "." + topic, mine, timeout, members);
        }
        catch (final IllegalArgumentException ex)
        {
            isMet = wasMet;
            throw new ConfigurationException("rank " + world().rank() + " has opened an engine over this rendezvous " +
                "before: a rendezvous has one TransportContext, over which all of its engines are opened (" +
                ex.getMessage() + ")");
        }
    }

    /** Tell this engine's others. */
    public void announce(final ByteBuffer message)
    {
        context.news().announce(number, message);
    }

    /** Hear of lost ranks and of this engine's others, from now on and what was before. */
    public void listen(final EngineListener listener)
    {
        context.news().listen(number, listener);
    }

    /**
     * For messages about ranks that differ: what may be the cause where a context has several engines.
     *
     * @return clause, empty for an engine that has a context of its own.
     */
    public String order()
    {
        return context.isOfOne() ? "" : ", and all ranks open the engines of a TransportContext in the same order " +
            "(this is number " + number + ", from 0)";
    }

    /** Memory that peers write to, which outlives the engine until they are done too. */
    public <T extends AutoCloseable> T keep(final T memory)
    {
        return (isRetired ? keptLater : written).add(memory);
    }

    /** Another engine takes this one's place. Its workers are closed, but callers still have memory of it. */
    public void retire()
    {
        if (!isRetired && isMet)
        {
            isRetired = true;
            context.news().retire(number, written);
        }
    }

    /** When all workers of the engine are closed. */
    @Override
    public void close()
    {
        if (isClosed)
        {
            return;
        }

        isClosed = true;
        try
        {
            if (isRetired)
            {
                context.news().keep(number, keptLater);
            }
            else if (isMet && context.outlivesAnEngine())
            {
                context.news().retire(number, written);
            }
            else
            {
                context.news().forget(number);
                written.close();
            }
        }
        finally
        {
            context.leave();
        }
    }
}
