/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine;

/** What an engine thread does when none of its roles has work; the next call to be submitted ends every rest. */
public enum IdleMode
{
    /** Spin where the host has cores to spare, else back off. */
    AUTO,
    /**
     * Spin, then yield, then park up to a millisecond; where ranks outnumber cores, park almost at once, and the longer
     * the more of them share a core.
     */
    BACKOFF,
    /** Yield; rest after tens of milliseconds without work. */
    YIELD,
    /** Spin: a core of its own for every thread; rest after tens of milliseconds without work. */
    SPIN
}
