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

    /**
     * All ranks are done with the call under way. It may end, unless the ranks are agreeing on a new view.
     *
     * @return false if {@link #isCounted} must be asked when {@link #settle} has an outcome.
     */
    boolean count();

    /**
     * Whether a call ended well on a rank that is left, so that it counts on all others too.
     *
     * @param call number with which all ranks were done.
     */
    boolean isCounted(long call);

    /** Calls end with this from now on, and nothing touches a caller's memory any more. */
    void over(CallFailedException outcome);
}
