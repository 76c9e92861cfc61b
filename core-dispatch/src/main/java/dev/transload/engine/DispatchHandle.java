/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine;

/**
 * Routing of one dispatch, as this rank knows it. Cached dispatches and combines need the handle; they refuse a closed
 * handle.
 */
public interface DispatchHandle extends AutoCloseable
{
    /**
     * Returns the number of the dispatch that created this handle. The number is equal on all ranks.
     *
     * @return call number.
     */
    long callNumber();

    /**
     * Returns the number of tokens that this rank dispatched.
     *
     * @return T.
     */
    int tokens();

    /**
     * Returns the number of rows that the dispatch delivered to this rank, including padding in expert-major layout.
     *
     * @return R.
     */
    int rows();

    /**
     * Returns an object that looks up the routes of single tokens in this rank's tables, for diagnosis.
     *
     * @return object for look-ups, valid until the handle is closed.
     */
    TokenRoute explain();

    /** Closes the handle, so that the engine can reuse its tables. Idempotent. */
    @Override
    void close();
}
