/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.tck.processes;

import dev.transload.tck.DeviceChecks;

/**
 * Another process, with the class path and JVM flags of the current process. In the other process, an instance of
 * {@link DeviceChecks} answers questions. Each answer has a deadline. The other process ends no later than the current
 * process.
 */
public final class OtherProcess implements AutoCloseable
{
    private final RankProcess process;
    private final DeviceChecks there;

    /**
     * Starts a process or reuses an idle one.
     *
     * @param checks public class that answers questions, with a public constructor without arguments.
     */
    public OtherProcess(final Class<? extends DeviceChecks> checks)
    {
        process = RankPool.shared().take("the other process of " + checks.getSimpleName());
        there = process.openChecks(checks);
    }

    /**
     * Sends a question to the process and waits for the answer.
     *
     * @param question text of one line.
     * @return answer; an exception in the other process is rethrown here.
     */
    public String ask(final String question)
    {
        return there.answer(question);
    }

    /** Kills the process without a goodbye message and waits for its end. */
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
