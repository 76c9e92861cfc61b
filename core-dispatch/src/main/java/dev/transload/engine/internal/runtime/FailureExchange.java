/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.runtime;

import dev.transload.engine.CallFailedException;

/** What becomes of a failure between ranks, before the call ends with it. */
interface FailureExchange
{
    /** Tell the others why this rank gives up, unless they told it or {@link #settle} does; may block. */
    void announce(CallFailedException failure);

    /**
     * What the call ends with.
     *
     * @param failure what this rank noticed first.
     * @return that, or what the ranks agreed on; null while they have not agreed, which takes a bounded time.
     */
    CallFailedException settle(CallFailedException failure);
}
