/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.aeron;

/** A region or signals of this rank, as a channel of the rank to itself sees them. */
interface OwnMemory
{
    boolean isOpen();

    long address();
}
