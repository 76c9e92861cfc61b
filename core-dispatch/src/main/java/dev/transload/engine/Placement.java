/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine;

/** Which way rows take to and from the ranks of a node. */
public enum Placement
{
    /**
     * Straight to their final places, and summed where they are, wherever a rank's tensors can be reached by the ranks
     * of its node; by the rings otherwise.
     */
    DIRECT,
    /** By the rings, whose memory bounds what is in flight. */
    RING
}
