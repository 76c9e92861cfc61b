/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.tck;

import dev.transload.spi.Capability;
import dev.transload.spi.MemoryKind;
import org.junit.jupiter.api.Assumptions;

/** What the groups of rules share: a world for each test. */
interface ConformanceCase
{
    /**
     * A fresh fixture for one test.
     *
     * @param worldSize number of ranks of the test, at most 3.
     * @return fixture.
     */
    ConformanceFixture fixture(int worldSize);

    /**
     * Opens all ranks.
     *
     * @param size number of ranks.
     * @return world to be closed by the test.
     */
    private World open(final int size)
    {
        return new World(fixture(size), size);
    }

    /**
     * Runs a test in a world.
     *
     * @param size number of ranks.
     * @param test to run.
     */
    default void in(final int size, final WorldTest test)
    {
        try (World world = open(size))
        {
            test.run(world);
        }
    }

    /**
     * Runs a test in a world for each kind of memory.
     *
     * @param size number of ranks.
     * @param test to run.
     */
    default void forKinds(final int size, final KindTest test)
    {
        in(size, (world) -> world.kinds().forEach((kind) -> test.run(world, kind)));
    }

    /**
     * Skips the test where a capability is not offered.
     *
     * @param world      of the test.
     * @param capability asked for.
     */
    default void requires(final World world, final Capability capability)
    {
        Assumptions.assumeTrue(world.transport(0).capabilities().has(capability),
            () -> "the transport does not offer " + capability);
    }

    /** Body of a test. */
    @FunctionalInterface
    interface WorldTest
    {
        /**
         * Runs it.
         *
         * @param world with all ranks open.
         */
        void run(World world);
    }

    /** Body of a test for one kind of memory. */
    @FunctionalInterface
    interface KindTest
    {
        /**
         * Runs it.
         *
         * @param world with all ranks open.
         * @param kind  of memory.
         */
        void run(World world, MemoryKind kind);
    }
}
