/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine;

/** How roles are dealt to the engine's threads. */
public enum ThreadLayout
{
    /** By channels as far as they go, else by roles. */
    AUTO,
    /** All roles of a channel on one thread, channels dealt in turn. */
    CHANNELS,
    /** Each kind of role on threads of its own as far as they go: role kind k of a channel on thread k mod threads. */
    ROLES
}
