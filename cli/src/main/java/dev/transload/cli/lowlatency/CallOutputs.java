/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.lowlatency;

import dev.transload.cli.rank.HostMirrors;
import dev.transload.cli.verify.HostRows;
import dev.transload.engine.Tensor;
import dev.transload.engine.lowlatency.LowLatencyOutput;

/**
 * What the engine gave a rank in one call, in host memory.
 *
 * @param received what the dispatch filled.
 * @param combined [T, hidden] BF16.
 * @param arrived  by rank, whether its rows count: false for one that was masked before they came.
 * @param answered by rank, whether its experts' answers count: false for one that was masked before they came.
 * @param lost     by expert of this rank, and by rank: rows left free for one that was masked before they came.
 */
record CallOutputs(LowLatencyOutput received, Tensor combined, boolean[] arrived, boolean[] answered, int[][] lost)
{
    /** Rows of an expert of this rank. */
    int count(final int localExpert)
    {
        return HostRows.row(received.count(), localExpert).getInt();
    }

    /** Rows of all experts of this rank. */
    int rows()
    {
        int rows = 0;
        for (int expert = 0; expert < received.count().rows(); expert++)
        {
            rows += count(expert);
        }

        return rows;
    }

    void setCount(final int localExpert, final int rows)
    {
        HostRows.row(received.count(), localExpert).putInt(rows);
    }

    /** Where the rows of a source begin among those of an expert. */
    int begin(final int localExpert, final int source)
    {
        return (int)(range(localExpert, source) >>> Integer.SIZE);
    }

    /** How many rows of a source there are for an expert. */
    int count(final int localExpert, final int source)
    {
        return (int)range(localExpert, source);
    }

    /** Index of the token on its source. */
    int srcInfo(final int localExpert, final int row)
    {
        return HostRows.row(received.srcInfo(), localExpert).getInt(row * Integer.BYTES);
    }

    /** Rows that each expert has room for. */
    int rowsPerExpert()
    {
        return received.srcInfo().columns();
    }

    /** Turns one bit of a row. */
    void flipBit(final int localExpert, final int row)
    {
        HostRows.flipBit(received.x(), localExpert * rowsPerExpert() + row);
    }

    /** Has two rows change places, with all that goes with them. */
    void swap(final int localExpert, final int first, final int second)
    {
        final int from = localExpert * rowsPerExpert();
        HostRows.swap(received.x(), from + first, from + second);
        if (null != received.xScales())
        {
            HostRows.swap(received.xScales(), from + first, from + second);
        }

        final int kept = srcInfo(localExpert, first);
        setSrcInfo(localExpert, first, srcInfo(localExpert, second));
        setSrcInfo(localExpert, second, kept);
    }

    /** The same with counts in host memory. */
    CallOutputs counted(final HostMirrors mirrors)
    {
        return new CallOutputs(new LowLatencyOutput(received.x(), received.xScales(), received.scaleLayout(),
            mirrors.of(received.count()), received.srcInfo(), received.layoutRange()), combined, arrived, answered,
            lost);
    }

    /** Copies in host memory of what lies elsewhere: the rows that are expected or were counted, and the sums. */
    CallOutputs mirrored(final HostMirrors mirrors, final CallExpectation expectation)
    {
        final CallOutputs counted = counted(mirrors);
        return new CallOutputs(new LowLatencyOutput(
            counted.rows(mirrors, received.x(), expectation), counted.rows(mirrors, received.xScales(), expectation),
            received.scaleLayout(), counted.received().count(), mirrors.of(received.srcInfo()),
            mirrors.of(received.layoutRange())), mirrors.of(combined), arrived, answered, lost);
    }

    /** Most of the room stays unused, and takes long to copy. */
    private Tensor rows(final HostMirrors mirrors, final Tensor tensor, final CallExpectation expectation)
    {
        if (null == tensor)
        {
            return null;
        }

        final Tensor mirror = mirrors.blank(tensor);
        for (int expert = 0; expert < received.count().rows(); expert++)
        {
            mirrors.fetch(tensor, mirror, expert * rowsPerExpert(),
                Math.max(expectation.rows(expert), Math.min(count(expert), rowsPerExpert())));
        }

        return mirror;
    }

    private void setSrcInfo(final int localExpert, final int row, final int token)
    {
        HostRows.row(received.srcInfo(), localExpert).putInt(row * Integer.BYTES, token);
    }

    private long range(final int localExpert, final int source)
    {
        return HostRows.row(received.layoutRange(), localExpert).getLong(source * Long.BYTES);
    }
}
