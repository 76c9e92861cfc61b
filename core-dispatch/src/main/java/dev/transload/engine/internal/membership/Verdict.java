/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.membership;

/** What one rank holds of another. */
public enum Verdict
{
    /** It takes part, and nothing is held against it. */
    ALIVE,
    /** This rank hears nothing of it. Others may, so it still takes part. */
    SUSPECTED,
    /** Its process is gone: it ended, or reset its connection. It still takes part until the survivors agree. */
    DEAD,
    /** The survivors agreed that it takes part no more. */
    EVICTED,
    /** The members agreed that it takes part again, as a new process, from a call on that has not begun yet. */
    READMITTED
}
