/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.rendezvous.jgroups;

import org.jgroups.JChannel;
import org.jgroups.Message;
import org.jgroups.protocols.TP;
import org.jgroups.stack.Protocol;
import org.jgroups.stack.ProtocolStack;

import java.util.function.Predicate;

/** Right above the network: loses some of what this process sends. */
final class LosingProtocol extends Protocol
{
    private final Predicate<Message> isLost;

    LosingProtocol(final Predicate<Message> isLost)
    {
        this.isLost = isLost;
    }

    static void insertInto(final JChannel channel, final Predicate<Message> isLost)
    {
        try
        {
            channel.getProtocolStack().insertProtocol(QuietLog.whileLogging(() -> new LosingProtocol(isLost)),
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
}
