/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine;

/** How an engine thread idles when none of its roles has work. Submitting a call wakes an idle thread. */
public enum IdleMode
{
    /**
     * The same as {@link #SPIN} if the host has more cores than the engines need, else the same as {@link #BACKOFF}.
     */
    AUTO,
    /**
     * Spin, then yield, then park for up to a millisecond. If ranks outnumber cores, a thread instead yields once and
     * then parks, and the longest park grows with the number of ranks that share a core.
     */
    BACKOFF,
    /** Yield the core to other threads; sleep after tens of milliseconds without work. */
    YIELD,
    /** Spin; sleep after tens of milliseconds without work. Each thread needs a core of its own. */
    SPIN
}
