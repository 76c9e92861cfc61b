/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.spi;

/** Result of {@link TransportProvider#probe}. */
public sealed interface Availability
{
    /**
     * The transport can run on this host.
     *
     * @param capabilities capabilities that the transport promises for the probed configuration.
     */
    record Available(Capabilities capabilities) implements Availability
    {
    }

    /**
     * The transport cannot run on this host.
     *
     * @param reason one sentence for an operator. The sentence names the missing part and says how to provide it.
     * @param cause  cause of the failure, or null.
     */
    record Unavailable(String reason, Throwable cause) implements Availability
    {
    }
}
