/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.spi;

/**
 * A provider that was found but is not used.
 *
 * @param name   name of the provider, or of its class if the provider reports no name.
 * @param jar    jar or directory of its class, for messages.
 * @param reason one sentence with the reason why the provider is not used.
 */
public record RefusedProvider(String name, String jar, String reason)
{
}
