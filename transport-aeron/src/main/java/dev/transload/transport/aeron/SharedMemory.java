/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.aeron;

/** Memory that any thread may be reading when it is given up. */
interface SharedMemory extends RegionMemory
{
    /** Gives the bytes back with the last reference to this object. */
    void abandon();
}
