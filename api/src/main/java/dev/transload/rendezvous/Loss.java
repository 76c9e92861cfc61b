/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.rendezvous;

/** What is known of a member that was lost. */
public enum Loss
{
    /** Its process ended, or its connection was reset and it does not answer: it sends nothing any more. */
    GONE,
    /** Nothing is heard of it. Its process may only be stopped, or cut off, and may be heard of again. */
    SILENT
}
