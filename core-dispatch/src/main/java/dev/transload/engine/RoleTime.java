/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine;

/**
 * How a role spent its time since the engine was opened, summed over its instances.
 *
 * @param role     name, e.g. {@code forwarder}.
 * @param traffic  which it moves, null for roles that put no rows into rings.
 * @param busyNs   in duty cycles that did work.
 * @param waitNs   in duty cycles that found nothing to do while a call was under way.
 */
public record RoleTime(String role, Traffic traffic, long busyNs, long waitNs)
{
}
