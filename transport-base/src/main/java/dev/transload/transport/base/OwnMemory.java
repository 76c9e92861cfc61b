/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.base;

/** Region or signals of this rank that a channel from the rank to itself uses. */
public interface OwnMemory
{
    /**
     * Returns whether the memory is open.
     *
     * @return true if operations may use the memory.
     */
    boolean isOpen();

    /**
     * Returns the address of the memory.
     *
     * @return address of the first byte.
     */
    long address();
}
