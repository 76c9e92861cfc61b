/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.tck.processes;

import dev.transload.tck.DeviceChecks;

/**
 * A process with the same class path and flags as this one, in which an instance of {@link DeviceChecks} answers. It
 * has a deadline for each answer, and ends with this process at the latest.
 */
public final class OtherProcess implements AutoCloseable
{
    private final RankProcess process;
    private final DeviceChecks there;

    /**
     * Start it, or take one that serves nobody.
     *
     * @param checks class that answers; public, with a public constructor without arguments.
     */
    public OtherProcess(final Class<? extends DeviceChecks> checks)
    {
        process = RankPool.shared().take("the other process of " + checks.getSimpleName());
        there = process.openChecks(checks);
    }

    /**
     * Ask it.
     *
     * @param question on one line.
     * @return answer; what was thrown there is thrown here.
     */
    public String ask(final String question)
    {
        return there.answer(question);
    }

    /** Ends it without a farewell, and returns when it has ended. */
    public void kill()
    {
        process.kill();
    }

    @Override
    public void close()
    {
        RankPool.shared().giveBack(process);
    }
}
