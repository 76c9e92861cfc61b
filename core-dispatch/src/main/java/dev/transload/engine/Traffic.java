/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine;

/** Kind of call and stage that rows, bytes and rings belong to. */
public enum Traffic
{
    /** Rows that dispatches send between nodes. */
    DISPATCH_SCALE_OUT("dispatch", "scale-out"),
    /** Rows that dispatches send within the node, including rows to this rank itself. */
    DISPATCH_SCALE_UP("dispatch", "scale-up"),
    /** Rows that combines send between nodes. */
    COMBINE_SCALE_OUT("combine", "scale-out"),
    /** Rows that combines send within the node, including rows to this rank itself. */
    COMBINE_SCALE_UP("combine", "scale-up");

    private final String call;
    private final String stage;

    Traffic(final String call, final String stage)
    {
        this.call = call;
        this.stage = stage;
    }

    /**
     * Returns the kind of call.
     *
     * @return {@code dispatch} (including cached dispatches) or {@code combine}.
     */
    public String call()
    {
        return call;
    }

    /**
     * Returns the stage.
     *
     * @return {@code scale-out} or {@code scale-up}.
     */
    public String stage()
    {
        return stage;
    }
}
