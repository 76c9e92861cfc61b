/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.base;

/** Memory that other threads may still read when its owner stops using it. */
public interface SharedMemory extends RegionMemory
{
    /** Frees the memory, but not before other threads have stopped reading it. */
    void abandon();
}
