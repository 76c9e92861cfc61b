/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.tck;

import dev.transload.kernels.StepKernels;
import dev.transload.spi.MemoryKind;
import dev.transload.spi.MemoryRegion;

/**
 * World of ranks whose steps are tested. One thread drives the world with a clock that the fixture owns. Usually time
 * advances only when the kit calls {@link #pass}. If a device runs the steps by itself, the clock is the machine's
 * clock.
 */
public interface StepsFixture extends AutoCloseable
{
    /**
     * Returns the kernels that execute the steps of one rank.
     *
     * @param rank rank in [0, size of the world).
     * @return step kernels of the rank.
     */
    StepKernels steps(int rank);

    /**
     * Returns the kind of memory that contains rows.
     *
     * @return memory kind.
     */
    MemoryKind rowsKind();

    /**
     * Returns whether steps write scales in all layouts.
     *
     * @return false if steps can write scales only in the layout {@link dev.transload.kernels.StepScales#ROWS}.
     */
    default boolean hasAllScales()
    {
        return rowsKind().isHost();
    }

    /**
     * Allocates zeroed memory of a rank that other ranks can access.
     *
     * @param rank   rank of the owner.
     * @param kind   {@link #rowsKind()}, or {@link dev.transload.kernels.StepMemory#controlKind()} of the steps.
     * @param length length in bytes.
     * @return region, which is freed with the fixture.
     */
    MemoryRegion allocate(int rank, MemoryKind kind, long length);

    /**
     * Returns the region through which a rank accesses its own region or a region of another rank.
     *
     * @param rank   rank that accesses the region.
     * @param owner  rank that owns the region.
     * @param region region returned by {@link #allocate}.
     * @return the region itself if {@code rank} is the owner, otherwise a window to the region.
     */
    MemoryRegion reach(int rank, int owner, MemoryRegion region);

    /**
     * Writes to memory of any kind.
     *
     * @param region region returned by {@link #allocate}.
     * @param offset offset of the first byte.
     * @param bytes  bytes to write.
     */
    void write(MemoryRegion region, long offset, byte[] bytes);

    /**
     * Reads memory of any kind.
     *
     * @param region region returned by {@link #allocate}.
     * @param offset offset of the first byte.
     * @param length number of bytes.
     * @return copy of the bytes.
     */
    byte[] read(MemoryRegion region, long offset, int length);

    /**
     * Lets devices make some progress.
     *
     * @return false if nothing can change until time advances or a caller acts.
     */
    boolean pump();

    /**
     * Advances the clock.
     *
     * @param ns nanoseconds to advance.
     */
    void pass(long ns);

    /** Makes the clock advance by itself from now on. */
    void passAlways();

    /**
     * Returns the timeout of a wait in a step.
     *
     * @return time in nanoseconds.
     */
    long timeoutNs();

    /**
     * Returns whether ranks can be stopped repeatedly during steps.
     *
     * @return false if {@link #stop} is not supported.
     */
    boolean canStop();

    /**
     * Returns whether the work of a stopped rank can be ended for good instead of resumed, as if its process had died.
     * {@link StepWorld#run} stops ranks only if they can be ended.
     *
     * @return false if {@link #end} is not supported.
     */
    default boolean canEnd()
    {
        return canStop();
    }

    /**
     * Returns whether steps can send rows to far ranks, which are reached by puts instead of stores.
     *
     * @return false if programs with SEND_FAR are refused.
     */
    default boolean hasFar()
    {
        return false;
    }

    /**
     * Returns whether answers may be pushed with {@link dev.transload.kernels.StepProgram#ANSWER}.
     *
     * @return false if steps refuse this program.
     */
    default boolean canPush()
    {
        return hasFar();
    }

    /**
     * Returns the kind of memory that a rank uses to exchange rows with far ranks, which are reached by puts.
     *
     * @param rank rank to query.
     * @return {@link MemoryKind#HOST} if rows are staged in host memory.
     */
    default MemoryKind farKind(final int rank)
    {
        return rowsKind();
    }

    /**
     * Stops all work of a rank's device at its current point.
     *
     * @param rank rank to stop.
     */
    void stop(int rank);

    /**
     * Resumes the work of a stopped rank's device.
     *
     * @param rank stopped rank.
     */
    void resume(int rank);

    /**
     * Ends the work of a stopped rank's device permanently, as the end of its process would. Afterwards the kit may
     * call {@link #steps} again for this rank, as if a new process had replaced the old one.
     *
     * @param rank stopped rank.
     */
    void end(int rank);

    /** Frees all resources. All sessions are already closed. */
    @Override
    void close();
}
