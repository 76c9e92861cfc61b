/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.config;

/**
 * Chunk sizes for a world and a model where none are configured: large enough to amortise an operation group, small
 * enough that all rings of a rank stay within the memory allowed.
 */
final class Tuning
{
    /** Chunks that a ring holds: one travelling, one being consumed, one being credited, one to spare. */
    static final int CHUNKS_PER_RING = 4;

    private static final long SCALE_OUT_CHUNK_BYTES = 256 << 10;
    private static final long SCALE_UP_CHUNK_BYTES = 128 << 10;
    private static final int MAX_CHUNK = 256;

    private final int nodes;
    private final int ranksPerNode;
    private final int channels;
    private final long rowBytes;
    private final long partialBytes;
    private final int scaleOutChunk;
    private final int scaleUpChunk;

    Tuning(
        final int nodes, final int ranksPerNode, final int channels, final int maxHidden, final boolean wideWire,
        final long ringMemory)
    {
        this.nodes = nodes;
        this.ranksPerNode = ranksPerNode;
        this.channels = channels;
        this.rowBytes = 2L * maxHidden;
        this.partialBytes = wideWire ? 2 * rowBytes : rowBytes;

        int out = (int)Math.max(1, Math.min(MAX_CHUNK, SCALE_OUT_CHUNK_BYTES / rowBytes));
        int up = (int)Math.max(1, Math.min(MAX_CHUNK, SCALE_UP_CHUNK_BYTES / rowBytes));
        while (ringBytes(out, up) > ringMemory && (out > 1 || up > 1))
        {
            out = Math.max(1, out / 2);
            up = Math.max(1, up / 2);
        }

        this.scaleOutChunk = out;
        this.scaleUpChunk = up;
    }

    int scaleOutChunk()
    {
        return scaleOutChunk;
    }

    int scaleUpChunk()
    {
        return scaleUpChunk;
    }

    private long ringBytes(final int outChunk, final int upChunk)
    {
        final long outSlots = 1 == nodes ? 0 : (long)channels * nodes * CHUNKS_PER_RING * outChunk;
        final long upSlots = (long)channels * ranksPerNode * CHUNKS_PER_RING * upChunk;
        final long subSlots = Math.max(upSlots, (long)channels * ranksPerNode * nodes * 2 * upChunk);
        return outSlots * (rowBytes + partialBytes) + (upSlots + subSlots) * rowBytes;
    }
}
