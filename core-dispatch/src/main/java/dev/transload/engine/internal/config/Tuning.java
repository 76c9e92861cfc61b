/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.config;

import dev.transload.engine.EngineConfig;
import dev.transload.engine.SizeConfig;
import dev.transload.kernels.ElementType;

/**
 * Chunk sizes for a world and a model where none are configured: large enough to amortise an operation group, small
 * enough that all rings of a rank stay within the memory allowed.
 */
final class Tuning
{
    /** Chunks that a ring of host memory holds: one travelling, one being consumed, one being credited, one spare. */
    private static final int HOST_CHUNKS_PER_RING = 4;
    private static final long SCALE_OUT_CHUNK_BYTES = 256 << 10;
    private static final long SCALE_UP_CHUNK_BYTES = 512 << 10;
    private static final int MAX_HOST_CHUNK = 256;

    /** What launches, at a few microseconds each, let a link carry at more than nine tenths of its speed. */
    private static final long DEVICE_CHUNK_BYTES = 8 << 20;
    private static final int MAX_DEVICE_CHUNK = 512;

    /** What copies between a device and host memory carry at nearly the speed of large ones. */
    private static final long STAGED_CHUNK_BYTES = 2 << 20;

    /** One travelling, one being consumed. */
    private static final int DEVICE_CHUNKS_PER_RING = 2;

    /** At the relay one chunk comes, one is copied to the device, one is read there, one is being credited. */
    private static final int STAGED_CHUNKS_PER_RING = 4;

    private final EngineConfig config;
    private final long rowBytes;
    private final long ringMemory;
    private final int chunksPerRing;
    private int outChunksPerRing;
    private int scaleOutChunk;
    private int scaleUpChunk;

    private Tuning(final EngineConfig config, final int chunksPerRing, final long autoRingBytes)
    {
        this.config = config;
        this.ringMemory = SizeConfig.AUTO == config.sizes().ringMemory() ? autoRingBytes : config.sizes().ringMemory();
        this.rowBytes = (long)ElementType.BF16.bytes() * config.maxHidden();
        this.chunksPerRing = chunksPerRing;
        this.outChunksPerRing = chunksPerRing;
    }

    static Tuning forHost(final EngineConfig config)
    {
        final Tuning tuning = new Tuning(config, HOST_CHUNKS_PER_RING, SizeConfig.AUTO_RING_MEMORY);
        tuning.scaleOutChunk = tuning.rows(SCALE_OUT_CHUNK_BYTES, MAX_HOST_CHUNK);
        tuning.scaleUpChunk = tuning.rows(SCALE_UP_CHUNK_BYTES, MAX_HOST_CHUNK);
        while (tuning.hostBytes() > tuning.ringMemory && tuning.isDivisible())
        {
            tuning.halveLargest();
        }

        if (1 == config.nodes())
        {
            // The ring to the own node has metadata only. What it holds is dealt to all ranks: each shall find a chunk.
            tuning.scaleOutChunk = Math.max(
                tuning.scaleOutChunk, Math.min(MAX_HOST_CHUNK, config.world().mostRanks() * tuning.scaleUpChunk));
        }

        return tuning;
    }

    /** Between nodes smaller ones where another transport carries rows, which may have to pass the host. */
    static Tuning forDevice(final EngineConfig config)
    {
        final boolean mayBeStaged =
            config.nodes() > 1 && !config.scaleOut().transport().equals(config.scaleUp().transport());
        final Tuning tuning = new Tuning(config, DEVICE_CHUNKS_PER_RING,
            mayBeStaged ? SizeConfig.AUTO_STAGED_RING_MEMORY : SizeConfig.AUTO_RING_MEMORY);
        final int chunk = tuning.rows(DEVICE_CHUNK_BYTES, MAX_DEVICE_CHUNK);
        tuning.scaleUpChunk = chunk;
        tuning.scaleOutChunk = mayBeStaged ? Math.min(chunk, tuning.rowsOf(STAGED_CHUNK_BYTES)) : chunk;
        tuning.outChunksPerRing = mayBeStaged ? STAGED_CHUNKS_PER_RING : DEVICE_CHUNKS_PER_RING;
        while (tuning.outChunksPerRing > DEVICE_CHUNKS_PER_RING && tuning.outBytes() > tuning.ringMemory)
        {
            tuning.outChunksPerRing--;
        }

        while (mayBeStaged && tuning.scaleOutChunk > 1 && tuning.outBytes() > tuning.ringMemory)
        {
            tuning.scaleOutChunk /= 2;
        }

        while (tuning.isDivisible() && (tuning.deviceBytes() > config.sizes().deviceRingMemory() ||
            tuning.metadataBytes() > tuning.ringMemory))
        {
            tuning.halveLargest();
        }

        return tuning;
    }

    int scaleOutChunk()
    {
        return scaleOutChunk;
    }

    int scaleUpChunk()
    {
        return scaleUpChunk;
    }

    int scaleOutChunksPerRing()
    {
        return outChunksPerRing;
    }

    int scaleUpChunksPerRing()
    {
        return chunksPerRing;
    }

    private int rows(final long chunkBytes, final int most)
    {
        return (int)Math.max(1, Math.min(most, chunkBytes / rowBytes));
    }

    /** As many as have so many bytes, or more. */
    private int rowsOf(final long bytes)
    {
        return (int)((bytes + rowBytes - 1) / rowBytes);
    }

    private void halveLargest()
    {
        final int largest = Math.max(scaleOutChunk, scaleUpChunk) / 2;
        scaleOutChunk = Math.min(scaleOutChunk, largest);
        scaleUpChunk = Math.min(scaleUpChunk, largest);
    }

    private boolean isDivisible()
    {
        return scaleOutChunk > 1 || scaleUpChunk > 1;
    }

    private long partialBytes()
    {
        return ElementType.F32 == config.combineWire() ? 2 * rowBytes : rowBytes;
    }

    private long outSlots()
    {
        return 1 == config.nodes() ? 0 :
            (long)config.channels() * config.world().mostStreams() * outChunksPerRing * scaleOutChunk;
    }

    private long upSlots()
    {
        return (long)config.channels() * config.world().mostRanks() * chunksPerRing * scaleUpChunk;
    }

    private long subSlots()
    {
        return Math.max(upSlots(),
            (long)config.channels() * config.world().mostRanks() * config.world().mostStreams() * 2 * scaleUpChunk);
    }

    private long outBytes()
    {
        return outSlots() * (rowBytes + partialBytes());
    }

    private long hostBytes()
    {
        return outBytes() + (upSlots() + subSlots()) * rowBytes;
    }

    /** Send buffers too: device memory is as scarce for them. */
    private long deviceBytes()
    {
        return 2 * outBytes() + (upSlots() + 2 * subSlots()) * rowBytes;
    }

    /** Of the rings within the node, which peers write to beside the payload. */
    private long metadataBytes()
    {
        final int maskWords = (config.world().mostRanks() + Long.SIZE - 1) / Long.SIZE;
        return (upSlots() + subSlots()) *
            (Integer.BYTES + maskWords * (long)Long.BYTES + config.maxTopk() * 2L * Integer.BYTES);
    }
}
