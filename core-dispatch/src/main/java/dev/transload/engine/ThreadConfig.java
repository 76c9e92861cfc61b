/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine;

import dev.transload.engine.cores.CoreChoice;
import java.util.List;

/**
 * Settings of an engine's threads.
 *
 * @param count  number of threads. 0 means that the caller drives the engine; see {@link Engine#drive}. Until the
 *               engine opens, the number may be {@link #AUTO} or {@link #AUTO_OR_CALLER}.
 * @param idle   how threads idle; may be {@link IdleMode#AUTO} until the engine opens.
 * @param cores  cores that the threads are bound to.
 * @param roles  number of threads of each kind of role, in this order: sender, sender coordinator, forwarder, forwarder
 *               coordinator, receiver. The sum of the numbers is {@code count}. The roles of a kind are assigned to the
 *               threads of the kind round-robin. If the list is empty, the channels are assigned to the threads
 *               round-robin, and each thread runs all roles of its channels. If the list is empty and there are more
 *               threads than channels, the kinds of roles are assigned to the threads round-robin instead.
 */
public record ThreadConfig(int count, IdleMode idle, CoreChoice cores, List<Integer> roles)
{
    /**
     * Number of kinds of roles: sender, sender coordinator, forwarder, forwarder coordinator and receiver. Each kind
     * has roles of dispatch and of combine.
     */
    public static final int KINDS_OF_ROLES = 5;

    /** Automatic number of threads, which the engine chooses for the host. */
    public static final int AUTO = -1;

    /** The same as {@link #AUTO}, but 0 if ranks outnumber cores; see {@link EngineConfig#callerMayDrive()}. */
    public static final int AUTO_OR_CALLER = -2;

    /**
     * Creates settings without separate threads for kinds of roles.
     *
     * @param count  number of threads, or {@link #AUTO}.
     * @param idle   how threads idle.
     * @param cores  cores that the threads are bound to.
     */
    public ThreadConfig(final int count, final IdleMode idle, final CoreChoice cores)
    {
        this(count, idle, cores, List.of());
    }
}
