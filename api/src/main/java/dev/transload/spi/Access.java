/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.spi;

/** Who may address a region. */
public enum Access
{
    /** Only this rank's own operations use it, as source or target; every transport offers it. */
    LOCAL,
    /** Peers may address it too, by its descriptor. */
    REMOTE
}
