/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.tck.processes;

import java.io.IOException;

/** Starts a rank's process, tells its id, and waits to be killed. */
final class OrphanMain
{
    private OrphanMain()
    {
    }

    /**
     * Run.
     *
     * @param args none.
     * @throws IOException never in practice.
     */
    public static void main(final String[] args) throws IOException
    {
        System.out.println(RankPool.shared().take("an orphan").pid());
        System.out.flush();
        System.in.read();
    }
}
