/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.rendezvous.jgroups;

import java.util.List;
import java.util.concurrent.Future;
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

    private Future<?> asking;

    static
    {
        ClassConfigurator.addProtocol(PROTOCOL_ID, RepeatedVerification.class);
    }

    @Override
    public synchronized void start() throws Exception
    {
        super.start();
        asking = timer.scheduleWithFixedDelay(this::askAgain, INTERVAL_MS, INTERVAL_MS, TimeUnit.MILLISECONDS);
    }

    @Override
    public synchronized void stop()
    {
        if (null != asking)
        {
            asking.cancel(true);
            asking = null;
        }
        super.stop();
    }

    private void askAgain()
    {
        // A member that is suspected already keeps its deadline.
        verifySuspect(suspected());
    }

    private synchronized List<Address> suspected()
    {
        return suspects.stream().map(Entry::suspect).toList();
    }
}
