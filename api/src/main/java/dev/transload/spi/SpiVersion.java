/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.spi;

/** Version of this SPI. */
public final class SpiVersion
{
    /**
     * Current version. This field is a compile-time constant, so that a provider reports the version that it was
     * compiled against.
     */
    public static final int CURRENT = 1;

    private SpiVersion()
    {
    }
}
