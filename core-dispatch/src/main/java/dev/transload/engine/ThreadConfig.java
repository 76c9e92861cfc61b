/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine;

import dev.transload.engine.cores.CoreChoice;
import java.util.List;

/**
 * Threads of an engine.
 *
 * @param count  of them; 0 has the caller drive the engine, see {@link Engine#drive}; {@link #AUTO} or
 *               {@link #AUTO_OR_CALLER} until it opens.
 * @param idle   what they do without work; {@link IdleMode#AUTO} until the engine opens.
 * @param cores  which they are tied to.
 * @param roles  threads of each kind of role, in the order of {@link #KINDS_OF_ROLES}, which the kind's roles share in
 *               turn, and whose sum is the count. Empty: threads take channels in turn, with all of their roles; or
 *               kinds of roles, where there are more threads than channels.
 */
public record ThreadConfig(int count, IdleMode idle, CoreChoice cores, List<Integer> roles)
{
    /** Sender, sender coordinator, forwarder, forwarder coordinator and receiver, of dispatch and of combine. */
    public static final int KINDS_OF_ROLES = 5;

    /** Count that stands for one that fits the host. */
    public static final int AUTO = -1;

    /** As {@link #AUTO}, or 0 where ranks outnumber cores: see {@link EngineConfig#callerMayDrive()}. */
    public static final int AUTO_OR_CALLER = -2;

    /**
     * Threads of no kind of role.
     *
     * @param count  as above.
     * @param idle   as above.
     * @param cores  as above.
     */
    public ThreadConfig(final int count, final IdleMode idle, final CoreChoice cores)
    {
        this(count, idle, cores, List.of());
    }
}
