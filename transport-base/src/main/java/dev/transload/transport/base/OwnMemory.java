/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.base;

/** A region or signals of this rank, as a channel of the rank to itself sees them. */
public interface OwnMemory
{
    /**
     * Whether it has not been closed.
     *
     * @return whether operations may use it.
     */
    boolean isOpen();

    /**
     * Where it begins.
     *
     * @return address of the first byte.
     */
    long address();
}
