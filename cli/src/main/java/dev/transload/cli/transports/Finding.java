/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.transports;

import dev.transload.spi.Capabilities;

/**
 * A provider as the command {@code transports} shows it.
 *
 * @param name         of the transport.
 * @param jar          that brings it.
 * @param capabilities null where it is not available.
 * @param reason       why it is not available, and what would make it so; null where it is.
 */
record Finding(String name, String jar, Capabilities capabilities, String reason)
{
    boolean isAvailable()
    {
        return null != capabilities;
    }
}
