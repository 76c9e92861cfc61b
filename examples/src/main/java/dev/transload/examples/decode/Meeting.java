/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.examples.decode;

import java.nio.ByteBuffer;
import java.util.List;

/** Where ranks tell each other what they need to reach one another. */
interface Meeting
{
    /**
     * Tell all ranks, and learn what they tell.
     *
     * @param rank that tells.
     * @param own  what it tells, from position to limit.
     * @return by rank.
     */
    List<ByteBuffer> gather(int rank, ByteBuffer own);
}
