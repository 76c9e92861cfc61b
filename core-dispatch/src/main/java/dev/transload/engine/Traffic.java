/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine;

/** What rows, bytes and rings belong to: a stage of one kind of call. */
public enum Traffic
{
    /** Between nodes, by dispatches. */
    DISPATCH_SCALE_OUT("dispatch", "scale-out"),
    /** Within the node (the own rank included), by dispatches. */
    DISPATCH_SCALE_UP("dispatch", "scale-up"),
    /** Between nodes, by combines. */
    COMBINE_SCALE_OUT("combine", "scale-out"),
    /** Within the node (the own rank included), by combines. */
    COMBINE_SCALE_UP("combine", "scale-up");

    private final String call;
    private final String stage;

    Traffic(final String call, final String stage)
    {
        this.call = call;
        this.stage = stage;
    }

    /**
     * By whom.
     *
     * @return {@code dispatch} (cached ones too) or {@code combine}.
     */
    public String call()
    {
        return call;
    }

    /**
     * Over what.
     *
     * @return {@code scale-out} or {@code scale-up}.
     */
    public String stage()
    {
        return stage;
    }
}
