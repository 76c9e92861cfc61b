/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.launch;

/** What the loss of a rank means for the others. */
public enum PeerLoss
{
    /** All ranks end. */
    END,
    /** The others go on without it; reports name the ranks that their rank went on without under {@code masked}. */
    MASK,
    /** Its process is started again, and all ranks meet in a new world; tasks go on where they were. */
    RESTART
}
