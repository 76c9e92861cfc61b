/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.rendezvous;

/** How certain it is that a lost member has ended. */
public enum Loss
{
    /**
     * The process of the member has ended, or its connection was reset and it does not answer. The member will send
     * nothing more.
     */
    GONE,
    /**
     * The member has sent no message for too long. The process of the member may still exist, for example if it is
     * suspended or unreachable, and may send messages again.
     */
    SILENT
}
