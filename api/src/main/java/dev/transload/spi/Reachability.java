/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.spi;

/**
 * Whether a transport reaches a peer.
 *
 * @param reachable true when channels to the peer can be connected.
 * @param reason    one clause, why or why not, e.g. {@code same host} or {@code no NVLink between device 0 and 5}.
 */
public record Reachability(boolean reachable, String reason)
{
}
