/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine;

/**
 * Sizes as they were configured, from which those of an engine follow once it is known where its rows live.
 *
 * @param channels         C, or {@link #AUTO}.
 * @param scaleOut         of the stage between nodes.
 * @param scaleUp          of the stage within a node.
 * @param ringMemory       bytes that rings in host memory may take by what is automatic, or {@link #AUTO}.
 * @param deviceRingMemory bytes that rings in device memory may take by what is automatic.
 * @param tableMemory      bytes that a handle's tables may take where row kernels read them, or {@link #AUTO}.
 */
public record SizeConfig(
    int channels, Stage scaleOut, Stage scaleUp, long ringMemory, long deviceRingMemory, long tableMemory)
{
    /** Stands for a size that fits the world, the model and the payload's memory. */
    public static final int AUTO = 0;

    /** Bytes of {@code ringMemory} where it is automatic and rows stay in host memory. */
    public static final long AUTO_RING_MEMORY = 32 << 20;

    /** Bytes of it where rows of a device may pass host memory: three chunks of eight channels and two nodes fit. */
    public static final long AUTO_STAGED_RING_MEMORY = 256 << 20;

    /**
     * Of a stage.
     *
     * @param chunk       rows, or {@link #AUTO}.
     * @param ring        slots, or {@link #AUTO}.
     * @param creditBatch rows, or {@link #AUTO}.
     */
    public record Stage(int chunk, int ring, int creditBatch)
    {
    }
}
