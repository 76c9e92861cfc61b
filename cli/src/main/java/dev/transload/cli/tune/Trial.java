/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.tune;

/**
 * One measurement of a candidate: an engine is opened with it, makes some calls, and is closed.
 *
 * @param callNs  median over the calls of dispatch and combine together, slowest rank, in nanoseconds.
 * @param cpuNs   CPU time of one call, all ranks together, in nanoseconds.
 * @param failure one sentence, or null.
 */
record Trial(long callNs, long cpuNs, String failure)
{
    boolean isFailed()
    {
        return null != failure;
    }

    static Trial failed(final String sentence)
    {
        return new Trial(0, 0, sentence);
    }
}
