/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.spi;

/**
 * Result of {@link Transport#canReach}: whether a transport reaches a peer.
 *
 * @param reachable true if channels to the peer can be connected.
 * @param reason    reason in a few words, e.g. {@code same host} or {@code no NVLink between device 0 and 5}.
 */
public record Reachability(boolean reachable, String reason)
{
}
