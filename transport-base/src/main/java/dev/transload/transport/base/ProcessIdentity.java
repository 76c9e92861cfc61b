/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.base;

import java.util.Optional;

/**
 * Identity of a process, with the namespace in which its process ID is valid.
 *
 * @param pid   process ID, valid in the process ID namespace of {@code host}.
 * @param start start time from {@link ProcessStart}; 0 if unknown.
 * @param host  host on which the process runs.
 */
public record ProcessIdentity(long pid, long start, HostIdentity host)
{
    private static final String ZOMBIE = "Z";
    private static final String DEAD = "X";

    /**
     * Returns the identity of this process.
     *
     * @return identity of this process.
     */
    public static ProcessIdentity local()
    {
        final long own = ProcessHandle.current().pid();
        return new ProcessIdentity(own, ProcessStart.of(own), HostIdentity.local());
    }

    /**
     * Returns whether two processes run on the same kernel and in the same network namespace. Such processes can share
     * memory and connect through the loopback interface.
     *
     * @param other other process.
     * @return true if both processes run on the same host.
     */
    public boolean sharesHostWith(final ProcessIdentity other)
    {
        return host.host().equals(other.host.host());
    }

    /**
     * Returns whether this process can detect the end of another process. Both processes must be in the same process ID
     * namespace.
     *
     * @param other other process.
     * @return true if {@link #isGone()} of the other process gives a valid result in this process.
     */
    public boolean canSee(final ProcessIdentity other)
    {
        return host.pidNamespace().equals(other.host.pidNamespace());
    }

    /**
     * Returns whether the process has ended. Zombies and reused process IDs count as ended. The method queries the
     * operating system, so it should not be called often. The caller must be able to see the process ({@link #canSee}).
     *
     * @return true if the process has ended.
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
