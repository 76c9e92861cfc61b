/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.outcome;

/** What the exit code of every command means; scripts depend on it. */
public final class ExitCodes
{
    /** Done and verified. */
    public static final int DONE = 0;

    /** A verification or a run failed. */
    public static final int FAILED = 1;

    /** Bad usage or input. */
    public static final int BAD_INPUT = 2;

    /** A transport or a resource (port, /dev/shm, device) is unavailable. */
    public static final int UNAVAILABLE = 3;

    /** A peer failed, is missing, or a deadline passed. */
    public static final int PEER_FAILED = 4;

    private ExitCodes()
    {
    }
}
