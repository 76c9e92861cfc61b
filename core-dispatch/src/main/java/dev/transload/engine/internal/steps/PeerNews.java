/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.steps;

/** What the driver of steps knows of other ranks, and wants to know. */
public interface PeerNews
{
    /** Of a driver that knows nothing of other ranks, and does not ask. */
    PeerNews NONE = new PeerNews()
    {
        @Override
        public boolean isGone(final int rank)
        {
            return false;
        }

        @Override
        public void settled(final int rank, final long ns)
        {
            // Nobody asked.
        }
    };

    /**
     * Whether a rank is known to be gone: it is masked where its word has not come.
     *
     * @param rank another one.
     * @return true where it tells nothing any more.
     */
    boolean isGone(int rank);

    /**
     * A wait has ended for a rank.
     *
     * @param rank waited for.
     * @param ns   nanoseconds since the wait began.
     */
    void settled(int rank, long ns);
}
