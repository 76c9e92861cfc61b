/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.spi;

/**
 * A provider that was found.
 *
 * @param provider itself.
 * @param jar      where its class came from, for messages.
 */
public record RegisteredProvider(TransportProvider provider, String jar)
{
}
