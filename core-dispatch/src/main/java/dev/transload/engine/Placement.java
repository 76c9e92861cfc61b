/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine;

/** How the engine moves rows between ranks of one node. */
public enum Placement
{
    /**
     * If the ranks of the node can reach each other's tensors, a dispatch writes rows directly to their final places,
     * and a combine reads rows in place. Otherwise rows are moved through the rings.
     */
    DIRECT,
    /** All rows are moved through the rings, which limit the number of rows in flight. */
    RING
}
