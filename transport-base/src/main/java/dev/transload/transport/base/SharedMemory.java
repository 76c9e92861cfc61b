/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.base;

/** Memory that any thread may be reading when it is given up. */
public interface SharedMemory extends RegionMemory
{
    /** Gives the bytes back when nobody refers to this object any more. */
    void abandon();
}
