/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.spi;

/** Ranks whose operations may use a region. */
public enum Access
{
    /**
     * Only operations of this rank may use the region, as their source or target. Every transport offers this access.
     */
    LOCAL,
    /** Peers that import the region by its descriptor may use the region too. */
    REMOTE
}
