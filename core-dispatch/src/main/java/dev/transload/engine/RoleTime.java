/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine;

/**
 * How one kind of role spent its time since the engine was opened. The times are sums over all roles of the kind.
 * In a duty cycle, a thread runs each of its roles that are not yet finished in the active call.
 *
 * @param role     name, e.g. {@code forwarder}.
 * @param traffic  stage and kind of call whose rows the role moves; null for roles that put no rows into rings.
 * @param busyNs   nanoseconds in which the roles did work.
 * @param waitNs   nanoseconds in which the roles waited. A duty cycle in which no role of a thread has work is divided
 *                 equally among the roles that the thread ran.
 */
public record RoleTime(String role, Traffic traffic, long busyNs, long waitNs)
{
}
