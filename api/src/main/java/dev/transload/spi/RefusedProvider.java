/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.spi;

/**
 * A provider that was found and is not used.
 *
 * @param name   of the provider, or of its class where even the name could not be had.
 * @param jar    where its class came from, for messages.
 * @param reason one sentence.
 */
public record RefusedProvider(String name, String jar, String reason)
{
}
