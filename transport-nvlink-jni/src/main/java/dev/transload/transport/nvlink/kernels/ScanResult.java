/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.nvlink.kernels;

import dev.transload.kernels.ReductionList;
import java.util.Arrays;

/**
 * What a scan found out about a part of a list, kept with the list: it holds until an entry changes, for memory at the
 * same addresses and of the same lengths. A scan reads page-locked memory, some 40 ns a token, and the device waits.
 */
final class ScanResult
{
    private final long[] places;
    private int changes;
    private int from = -1;
    private int count;
    private long bits;
    private int mostSources;
    private boolean hasParts;

    private ScanResult(final int words)
    {
        this.places = new long[words];
    }

    /** The list's, which holds nothing where it is new or was for another number of words. */
    static ScanResult of(final ReductionList list, final int words)
    {
        if (list.attachment() instanceof ScanResult && ((ScanResult)list.attachment()).places.length == words)
        {
            return (ScanResult)list.attachment();
        }

        final ScanResult result = new ScanResult(words);
        list.attach(result);
        return result;
    }

    boolean holds(final ReductionList list, final int first, final int groups, final long[] words)
    {
        return first == from && groups == count && list.changes() == changes &&
            Arrays.equals(places, 0, places.length, words, 0, places.length);
    }

    void set(
        final ReductionList list, final int first, final int groups, final long[] words, final long foundBits,
        final int foundMost, final boolean areParts)
    {
        System.arraycopy(words, 0, places, 0, places.length);
        changes = list.changes();
        from = first;
        count = groups;
        bits = foundBits;
        mostSources = foundMost;
        hasParts = areParts;
    }

    long bits()
    {
        return bits;
    }

    int mostSources()
    {
        return mostSources;
    }

    boolean hasParts()
    {
        return hasParts;
    }
}
