/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine;

/** What an engine does when a rank is lost and the remaining ranks have agreed on a new view. */
public enum OnPeerFailure
{
    /** The current or next call of every remaining rank fails with {@link GroupChangedException}. */
    FAIL,
    /**
     * The engine goes on without the lost rank, whose number becomes {@linkplain WorldConfig#absent() absent}. The
     * remaining ranks make unfinished calls again. The results lack the rows of the lost rank's tokens
     * ({@link DispatchResult#rankPrefixSum()}) and the answers of its experts ({@link DispatchResult#leftOut()},
     * {@link CombineResult#leftOut()}). Handles stay valid: a combine takes rows in the order of the last dispatch with
     * the handle that was submitted before it, and leaves those of lost sources out.
     * <p>
     * A call completes on a rank only when all ranks are done with it. If a rank of the same node is lost during a
     * dispatch into memory of the caller, and its process has not ended, it may still write there. The dispatch is then
     * not made again: it fails, and the engine is retired on all ranks. The engine must be the only one of its
     * {@link TransportContext}. The deadline of a call begins again when it is made again. The engine keeps the rings
     * of an earlier view until each other member has left this view or is known to have ended; until it is closed, it
     * keeps the outputs that it allocated for calls that it made again.
     * <p>
     * A restarted process of a lost rank takes part again when the ranks call {@link Engine#readmit()}.
     */
    MASK
}
