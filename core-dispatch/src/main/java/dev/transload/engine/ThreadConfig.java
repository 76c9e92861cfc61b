/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine;

import dev.transload.engine.cores.CoreChoice;

/**
 * Threads of an engine.
 *
 * @param count  of them; 0 has the caller drive the engine by {@link Engine#doWork}; {@link #AUTO} until it opens.
 * @param layout how roles are dealt to them; {@link ThreadLayout#AUTO} until the engine opens.
 * @param idle   what they do without work; {@link IdleMode#AUTO} until the engine opens.
 * @param cores  which they are tied to.
 */
public record ThreadConfig(int count, ThreadLayout layout, IdleMode idle, CoreChoice cores)
{
    /** Count that stands for one that fits the host. */
    public static final int AUTO = -1;
}
