/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.world;

/** The two hops of the pipeline. */
public enum Stage
{
    /** Between nodes, to the rank with the own local index. */
    SCALE_OUT,
    /** Within a node. */
    SCALE_UP
}
