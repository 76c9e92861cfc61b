/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.spi;

/** Outcome of {@link TransportProvider#probe}. */
public sealed interface Availability
{
    /**
     * Usable on this host.
     *
     * @param capabilities promised for the probed configuration.
     */
    record Available(Capabilities capabilities) implements Availability
    {
    }

    /**
     * Not usable on this host.
     *
     * @param reason one sentence for an operator: what is missing and what would bring it.
     * @param cause  underlying failure or null.
     */
    record Unavailable(String reason, Throwable cause) implements Availability
    {
    }
}
