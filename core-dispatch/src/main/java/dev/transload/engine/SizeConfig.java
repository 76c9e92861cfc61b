/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine;

/**
 * Sizes as configured. When the memory kind of the rows is known, the engine derives its final sizes from the
 * configured sizes.
 *
 * @param channels         C, number of channels, or {@link #AUTO}.
 * @param scaleOut         sizes of the stage between nodes.
 * @param scaleUp          sizes of the stage within a node.
 * @param ringMemory       bytes that rings of automatic size may take in host memory, or {@link #AUTO}.
 * @param deviceRingMemory bytes that rings of automatic size may take in device memory.
 * @param tableMemory      bytes that the tables of one handle may take in memory that row kernels read, or
 *                         {@link #AUTO}.
 */
public record SizeConfig(
    int channels, Stage scaleOut, Stage scaleUp, long ringMemory, long deviceRingMemory, long tableMemory)
{
    /** Value for an automatic size, which the engine chooses for the world, the model and the payload's memory. */
    public static final int AUTO = 0;

    /** Value of an automatic {@code ringMemory}, in bytes, unless {@link #AUTO_STAGED_RING_MEMORY} applies. */
    public static final long AUTO_RING_MEMORY = 32 << 20;

    /**
     * Value of an automatic {@code ringMemory}, in bytes, if rows in device memory may be staged in host memory. With
     * two nodes of equal size, eight channels and chunks of about 2 MiB, each ring between nodes then holds three
     * chunks.
     */
    public static final long AUTO_STAGED_RING_MEMORY = 256 << 20;

    /**
     * Sizes of one stage as configured.
     *
     * @param chunk       largest number of rows that are sent together, or {@link #AUTO}.
     * @param ring        number of slots of each ring, or {@link #AUTO}.
     * @param creditBatch number of rows after which a consumer reports how many rows it has consumed, or {@link #AUTO}.
     */
    public record Stage(int chunk, int ring, int creditBatch)
    {
    }
}
