/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.aeron;

import java.nio.ByteBuffer;

/** The bytes behind a region: where they come from, and how they go. */
interface RegionMemory
{
    /** Address of the first byte. */
    long address();

    /** View of a part; it does not outlive {@link #free()}. */
    ByteBuffer view(long offset, int length);

    /** Gives the bytes back at once; nobody may be using them. */
    void free();
}
