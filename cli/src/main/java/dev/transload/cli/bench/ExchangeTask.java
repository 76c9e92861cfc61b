/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.bench;

import java.util.List;

/**
 * Description of a bench between the ranks of a world, equal on all of them.
 *
 * @param transport  name.
 * @param devices    ordinals dealt to the ranks in turn; empty for all that there are.
 * @param pattern    who puts to whom.
 * @param sizes      bytes of puts.
 * @param iterations puts of each size to each peer; 0 to go by the duration.
 * @param durationNs of puts of each size.
 * @param window     puts to a peer that are under way at once.
 * @param check      whether all bytes that arrive are compared.
 */
record ExchangeTask(
    String transport, List<Integer> devices, ExchangePattern pattern, int[] sizes, int iterations, long durationNs,
    int window, boolean check)
{
    int largest()
    {
        int largest = 0;
        for (final int size : sizes)
        {
            largest = Math.max(largest, size);
        }

        return largest;
    }
}
