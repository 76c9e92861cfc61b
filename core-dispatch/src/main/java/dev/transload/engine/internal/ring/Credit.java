/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.ring;

/** A producer's view of how far a consumer has come in a ring. */
public interface Credit
{
    /**
     * Rows consumed as far as known; never more than are. Asks for news where they have to be fetched.
     *
     * @param needed head that the caller could make use of.
     */
    long head(long needed);
}
