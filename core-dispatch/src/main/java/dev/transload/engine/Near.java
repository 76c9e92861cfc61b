/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine;

/** Which ranks a rank reaches through windows to their memory. A rank reaches the remaining ranks by puts. */
public enum Near
{
    /** All ranks that have windows to this rank's memory and whose memory this rank has windows to. */
    AUTO,

    /** Like {@link #AUTO}, but only ranks of the same node. Puts to other nodes use the scale-out transport. */
    NODE,

    /**
     * No rank. Puts to a rank use the scale-out transport, or the scale-up transport if only that one reaches the rank.
     */
    NEVER
}
