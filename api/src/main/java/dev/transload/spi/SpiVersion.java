/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.spi;

/** Version of this SPI. */
public final class SpiVersion
{
    /** A compile-time constant which javac inlines, so that a provider reports the SPI it was compiled against. */
    public static final int CURRENT = 1;

    private SpiVersion()
    {
    }
}
