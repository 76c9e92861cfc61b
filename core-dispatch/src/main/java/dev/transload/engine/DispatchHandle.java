/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine;

/** Routing of one dispatch as this rank knows it: for cached dispatches and for combine. Closed handles are refused. */
public interface DispatchHandle extends AutoCloseable
{
    /**
     * Number of the dispatch that made it; handles of one dispatch agree on it across ranks.
     *
     * @return call number.
     */
    long callNumber();

    /**
     * Tokens of this rank.
     *
     * @return T.
     */
    int tokens();

    /**
     * Rows delivered to this rank, padding included (expert-major).
     *
     * @return R.
     */
    int rows();

    /**
     * What this rank's tables say of single tokens.
     *
     * @return view of the tables, for as long as the handle is open.
     */
    TokenRoute explain();

    /** Gives its tables back to the engine. Idempotent. */
    @Override
    void close();
}
