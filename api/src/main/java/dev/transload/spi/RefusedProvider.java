/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.spi;

/**
 * A provider that was found but is not used.
 *
 * @param name   name of the provider; the name of its class if the provider reports no name.
 * @param jar    jar or directory that contains the class of the provider, for messages.
 * @param reason one sentence with the reason why the provider is not used.
 */
public record RefusedProvider(String name, String jar, String reason)
{
}
