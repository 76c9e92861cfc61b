/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.rendezvous.jgroups;

import java.util.Collection;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jgroups.Address;
import org.jgroups.conf.ClassConfigurator;
import org.jgroups.protocols.VERIFY_SUSPECT2;

/**
 * JGroups' VERIFY_SUSPECT2, which asks a suspected member once whether it is alive. This asks again until the member
 * answers or the time is over: the first question may be lost with the connection whose end raised the suspicion.
 */
final class RepeatedVerification extends VERIFY_SUSPECT2
{
    private static final short PROTOCOL_ID = 12_117;
    private static final long INTERVAL_MS = 100;

    static
    {
        ClassConfigurator.addProtocol(PROTOCOL_ID, RepeatedVerification.class);
    }

    @Override
    protected void verifySuspect(final Collection<Address> members)
    {
        // A member that is suspected already keeps its deadline.
        super.verifySuspect(members);
        if (!members.isEmpty())
        {
            timer.schedule(() -> verifySuspect(suspectedOf(members)), INTERVAL_MS, TimeUnit.MILLISECONDS);
        }
    }

    private synchronized List<Address> suspectedOf(final Collection<Address> members)
    {
        return suspects.stream().map(Entry::suspect).filter(members::contains).toList();
    }
}
