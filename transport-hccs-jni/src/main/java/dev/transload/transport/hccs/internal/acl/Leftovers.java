/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.hccs.internal.acl;

import java.util.ArrayDeque;
import java.util.Queue;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What the runtime did not take back when it was offered: it is offered again, since closing must come to an end. */
public final class Leftovers
{
    private static final Logger LOG = LoggerFactory.getLogger(Leftovers.class);

    private final Queue<Runnable> left = new ArrayDeque<>();

    /**
     * Give something back, now or later.
     *
     * @param what    it is, for the log.
     * @param release which may be tried again after it failed.
     */
    public void giveBack(final String what, final Runnable release)
    {
        try
        {
            release.run();
        }
        catch (final AclException ex)
        {
            LOG.warn("{} was not given back, which will be tried again: {}", what, ex.getMessage());
            synchronized (this)
            {
                left.add(() -> giveBack(what, release));
            }
        }
    }

    /** Offer again what is left. */
    public void tryAgain()
    {
        final Queue<Runnable> now;
        synchronized (this)
        {
            now = new ArrayDeque<>(left);
            left.clear();
        }

        now.forEach(Runnable::run);
    }
}
