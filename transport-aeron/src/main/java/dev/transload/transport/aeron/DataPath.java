/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.aeron;

/** How the operations of a channel reach the peer's memory. */
enum DataPath
{
    /** The peer's regions are mapped into this process: an operation is a copy or an atomic. */
    MAPPED,
    /** Every operation travels as a message which the peer's transport applies. */
    MESSAGES
}
