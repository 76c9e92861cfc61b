/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine;

/**
 * How one kind of role spent its time since the engine was opened. The times are sums over all roles of the kind.
 * In a duty cycle, a thread runs each of its roles once.
 *
 * @param role     name, e.g. {@code forwarder}.
 * @param traffic  stage and kind of call whose rows the role moves; null for roles that put no rows into rings.
 * @param busyNs   nanoseconds of duty cycles that did work.
 * @param waitNs   nanoseconds of duty cycles that found no work while a call was active.
 */
public record RoleTime(String role, Traffic traffic, long busyNs, long waitNs)
{
}
