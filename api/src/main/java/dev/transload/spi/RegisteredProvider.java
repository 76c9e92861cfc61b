/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.spi;

/**
 * A provider that was found and can be used.
 *
 * @param provider the provider.
 * @param jar      jar or directory that contains the class of the provider, for messages.
 */
public record RegisteredProvider(TransportProvider provider, String jar)
{
}
