/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.tck.processes;

import dev.transload.tck.DeviceChecks;
import java.nio.charset.StandardCharsets;

/**
 * A process with the same class path and flags as this one, in which an instance of {@link DeviceChecks} answers. It
 * has a deadline for each answer, and ends with this process at the latest.
 */
public final class OtherProcess implements AutoCloseable
{
    private final RankProcess process;
    private final int handle;

    /**
     * Start it, or take one that serves nobody.
     *
     * @param checks class that answers; public, with a public constructor without arguments.
     */
    public OtherProcess(final Class<? extends DeviceChecks> checks)
    {
        process = RankPool.shared().take("the other process of " + checks.getSimpleName());
        handle = (int)process.ask(Request.OPEN_CHECKS, 0, (out) -> out.writeUTF(checks.getName()));
    }

    /**
     * Ask it.
     *
     * @param question on one line.
     * @return answer; what was thrown there is thrown here.
     */
    public String ask(final String question)
    {
        return new String(
            process.answer(Request.QUESTION, handle, (out) -> out.writeUTF(question)).bytes(), StandardCharsets.UTF_8);
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
