/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.base;

import java.util.Optional;

/**
 * One process, and where its number means something.
 *
 * @param pid   number of the process in its namespace.
 * @param start when it started, see {@link ProcessStart}, 0 when unknown.
 * @param host  where it runs.
 */
public record ProcessIdentity(long pid, long start, HostIdentity host)
{
    private static final String ZOMBIE = "Z";
    private static final String DEAD = "X";

    /**
     * This process.
     *
     * @return its identity.
     */
    public static ProcessIdentity local()
    {
        final long own = ProcessHandle.current().pid();
        return new ProcessIdentity(own, ProcessStart.of(own), HostIdentity.local());
    }

    /**
     * Whether both run on one kernel and in one network namespace, so that memory and loopback reach from one to the
     * other.
     *
     * @param other process.
     * @return whether they share a host.
     */
    public boolean sharesHostWith(final ProcessIdentity other)
    {
        return host.host().equals(other.host.host());
    }

    /**
     * Whether this process can tell that the other one is gone: both are in one namespace of process numbers.
     *
     * @param other process.
     * @return whether {@link #isGone()} of the other one means something here.
     */
    public boolean canSee(final ProcessIdentity other)
    {
        return host.pidNamespace().equals(other.host.pidNamespace());
    }

    /**
     * Whether the process has ended, a zombie and a later process with the same number included. It asks the operating
     * system: seldom is often enough. To be asked of a process that {@link #canSee} says is visible.
     *
     * @return whether it has ended.
     */
    public boolean isGone()
    {
        // One read tells all of it, and many ranks on few cores ask often.
        final String[] fields = ProcessStart.fields(pid);
        if (0 == fields.length)
        {
            final Optional<ProcessHandle> handle = ProcessHandle.of(pid);
            return handle.isEmpty() || !handle.get().isAlive();
        }

        final long found = ProcessStart.of(fields);
        return 0 != found && 0 != start && found != start || isDefunct(fields[0]);
    }

    /** A killed process whose parent does not reap it still has its number. */
    private static boolean isDefunct(final String state)
    {
        return ZOMBIE.equals(state) || DEAD.equals(state);
    }
}
