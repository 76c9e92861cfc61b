/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.hccs.internal.kernels;

/** An operation that is done block by block: gathered by the device, computed by the CPU, scattered by the device. */
interface StagedWork
{
    /** Bytes of a block that holds one entry, so that there is no way to do with less. */
    long bytesOfOne(KernelOperation operation, int entry);

    /**
     * Gather entries into a block, as many as it holds.
     *
     * @param operation whose entries.
     * @param slot      block, large enough for one.
     * @param next      first entry.
     * @return the entry behind the last that was gathered.
     */
    int gather(KernelOperation operation, int slot, int next);

    /** The block is with the CPU: compute, and submit what brings the results where they belong. */
    void finish(KernelOperation operation, int slot);
}
