/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.tck;

import dev.transload.kernels.StepKernels;
import dev.transload.spi.MemoryKind;
import dev.transload.spi.MemoryRegion;

/**
 * A world of ranks whose steps are checked, driven by one thread, by a clock that the fixture owns. Time passes only
 * when the kit says so, unless steps run by themselves and the clock is that of the machine.
 */
public interface StepsFixture extends AutoCloseable
{
    /**
     * Steps of one rank.
     *
     * @param rank in [0, size of the world).
     * @return steps.
     */
    StepKernels steps(int rank);

    /**
     * Kind of memory that rows lie in.
     *
     * @return kind.
     */
    MemoryKind rowsKind();

    /**
     * Whether steps write scales in all layouts.
     *
     * @return false where an output's scales can only lie by rows.
     */
    default boolean hasAllScales()
    {
        return rowsKind().isHost();
    }

    /**
     * Zeroed memory of a rank that others reach.
     *
     * @param rank   of the owner.
     * @param kind   {@link #rowsKind()}, or the control kind of the steps.
     * @param length in bytes.
     * @return region, freed with the fixture.
     */
    MemoryRegion allocate(int rank, MemoryKind kind, long length);

    /**
     * A region as a rank reaches it.
     *
     * @param rank   that reaches it.
     * @param owner  of the region.
     * @param region from {@link #allocate}.
     * @return the region itself for its owner, a window for others.
     */
    MemoryRegion reach(int rank, int owner, MemoryRegion region);

    /**
     * Write into memory of any kind.
     *
     * @param region from {@link #allocate}.
     * @param offset first byte.
     * @param bytes  to write.
     */
    void write(MemoryRegion region, long offset, byte[] bytes);

    /**
     * Look into memory of any kind.
     *
     * @param region from {@link #allocate}.
     * @param offset first byte.
     * @param length in bytes.
     * @return copy.
     */
    byte[] read(MemoryRegion region, long offset, int length);

    /**
     * Let devices go on a little.
     *
     * @return false where nothing moves unless time passes or a caller does something.
     */
    boolean pump();

    /**
     * Let time pass.
     *
     * @param ns nanoseconds.
     */
    void pass(long ns);

    /** From now on time passes by itself. */
    void passAlways();

    /**
     * How long a wait of a step lasts.
     *
     * @return nanoseconds.
     */
    long timeoutNs();

    /**
     * Whether ranks can be stopped during steps, again and again.
     *
     * @return false where {@link #stop} is not offered.
     */
    boolean canStop();

    /**
     * Whether stopped ranks can be ended, so that random worlds may have ranks that are stopped.
     *
     * @return false where {@link #end} is not offered.
     */
    default boolean canEnd()
    {
        return canStop();
    }

    /**
     * Whether steps reach far ranks.
     *
     * @return false where programs with SEND_FAR are refused.
     */
    default boolean hasFar()
    {
        return false;
    }

    /**
     * Whether answers may be pushed by {@link dev.transload.kernels.StepProgram#ANSWER}.
     *
     * @return false where that program is refused.
     */
    default boolean canPush()
    {
        return hasFar();
    }

    /**
     * Memory of a rank from which rows go to far ranks, and to which they come.
     *
     * @param rank asked for.
     * @return {@link MemoryKind#HOST} where they are staged there.
     */
    default MemoryKind farKind(final int rank)
    {
        return rowsKind();
    }

    /**
     * Stop what a rank's device does, wherever it is.
     *
     * @param rank to stop.
     */
    void stop(int rank);

    /**
     * Let a stopped rank's device go on.
     *
     * @param rank that was stopped.
     */
    void resume(int rank);

    /**
     * End what a stopped rank's device does, for good, as the end of its process would; steps of a new process may
     * then be asked for.
     *
     * @param rank that was stopped.
     */
    void end(int rank);

    /**
     * Frees all; sessions were closed before.
     */
    @Override
    void close();
}
