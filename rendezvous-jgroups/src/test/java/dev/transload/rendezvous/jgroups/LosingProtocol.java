/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.rendezvous.jgroups;

import org.jgroups.JChannel;
import org.jgroups.Message;
import org.jgroups.protocols.TP;
import org.jgroups.stack.Protocol;
import org.jgroups.stack.ProtocolStack;
import org.jgroups.util.MessageBatch;

import java.util.function.Predicate;

/** Right above the network: loses some of what this process sends or receives. */
final class LosingProtocol extends Protocol
{
    private final Predicate<Message> isLost;
    private final Predicate<Message> isUnheard;

    LosingProtocol(final Predicate<Message> isLost, final Predicate<Message> isUnheard)
    {
        this.isLost = isLost;
        this.isUnheard = isUnheard;
    }

    static void insertInto(final JChannel channel, final Predicate<Message> isLost)
    {
        insertInto(channel, isLost, message -> false);
    }

    static void insertInto(
        final JChannel channel, final Predicate<Message> isLost, final Predicate<Message> isUnheard)
    {
        try
        {
            channel.getProtocolStack().insertProtocol(
                QuietLog.whileLogging(() -> new LosingProtocol(isLost, isUnheard)),
                ProtocolStack.Position.ABOVE, TP.class);
        }
        catch (final Exception ex)
        {
            throw new IllegalStateException("the stack of " + channel.getName() + " takes no protocol", ex);
        }
    }

    @Override
    public Object down(final Message message)
    {
        return isLost.test(message) ? null : down_prot.down(message);
    }

    @Override
    public Object up(final Message message)
    {
        return isUnheard.test(message) ? null : up_prot.up(message);
    }

    @Override
    public void up(final MessageBatch batch)
    {
        batch.removeIf(isUnheard, true);
        if (!batch.isEmpty())
        {
            up_prot.up(batch);
        }
    }
}
