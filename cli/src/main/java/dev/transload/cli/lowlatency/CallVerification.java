/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.lowlatency;

import dev.transload.cli.verify.HostRows;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;

/**
 * Compares a call bit for bit and says, in one sentence, where the first difference is. The rows of an expert are in
 * the order of their source ranks, and of its tokens; a source that did not arrive has none, or all of its rows are
 * lost and their room is left free.
 */
final class CallVerification
{
    private final CallExpectation expectation;
    private final CallOutputs outputs;
    private final CallInput input;

    private CallVerification(final CallExpectation expectation, final CallOutputs outputs)
    {
        this.expectation = expectation;
        this.outputs = outputs;
        this.input = expectation.input();
    }

    /**
     * Verify what a dispatch delivered.
     *
     * @param expectation of the rank and the call.
     * @param outputs     of the rank, in host memory.
     * @return null when all is as expected, else one sentence.
     */
    static String ofReceived(final CallExpectation expectation, final CallOutputs outputs)
    {
        final CallVerification verification = new CallVerification(expectation, outputs);
        for (int expert = 0; expert < expectation.input().expertsPerRank(); expert++)
        {
            final String difference = verification.expert(expert);
            if (null != difference)
            {
                return difference;
            }
        }

        return null;
    }

    /**
     * Verify what a combine brought home.
     *
     * @param expectation of the rank and the call.
     * @param outputs     of the rank, in host memory.
     * @return null when all is as expected, else one sentence.
     */
    static String ofCombined(final CallExpectation expectation, final CallOutputs outputs)
    {
        return new CallVerification(expectation, outputs).combined();
    }

    private String expert(final int expert)
    {
        int rows = 0;
        for (int source = 0; source < input.ranks(); source++)
        {
            final String difference = source(expert, source, rows);
            if (null != difference)
            {
                return difference;
            }

            rows += outputs.count(expert, source) + outputs.lost()[expert][source];
        }

        final int count = outputs.count(expert);
        return count == rows ? null :
            name(expert, Math.min(count, rows)) + (count < rows ? " is missing" : " is one too many") +
            ": recv_count is " + count + ", must be " + rows;
    }

    private String source(final int expert, final int source, final int mustBegin)
    {
        final List<Integer> must =
            outputs.arrived()[source] ? expectation.tokens(expert, source) : List.of();
        final int begin = outputs.begin(expert, source);
        final int count = outputs.count(expert, source);
        if (must.size() != count || mustBegin != begin)
        {
            return name(expert) + ": recv_layout_range has " + count + " rows from rank " + source + " at " + begin +
                ", must have " + must.size() + " at " + mustBegin;
        }

        final int lost = outputs.lost()[expert][source];
        if (0 != lost && (outputs.arrived()[source] || lost != expectation.tokens(expert, source).size()))
        {
            return name(expert) + ": " + lost + " rows from rank " + source + " are said to be lost, must be none" +
                (outputs.arrived()[source] ? ", since it takes part" :
                " or all " + expectation.tokens(expert, source).size());
        }

        for (int i = 0; i < count; i++)
        {
            final String difference = row(expert, begin + i, source, must.get(i));
            if (null != difference)
            {
                return difference;
            }
        }

        return null;
    }

    private String row(final int expert, final int row, final int source, final int token)
    {
        final String difference = difference(expert, row, source, token);
        return null == difference ? null :
            name(expert, row) + " (from rank " + source + ", token " + token + "): " + difference;
    }

    private String difference(final int expert, final int row, final int source, final int token)
    {
        if (outputs.srcInfo(expert, row) != token)
        {
            return "recv_src_info is " + outputs.srcInfo(expert, row) + ", must be " + token;
        }

        final int at = expert * outputs.rowsPerExpert() + row;
        final ByteBuffer must = expectation.payload(source, token);
        if (!input.isFp8())
        {
            return HostRows.bf16Difference(outputs.received().x(), at, must, () -> "recv_x");
        }

        final int element = HostRows.mismatch(outputs.received().x(), at, must, 0);
        if (element >= 0)
        {
            return String.format("recv_x[%d] is 0x%02x, must be 0x%02x", element,
                HostRows.row(outputs.received().x(), at).get(element), must.get(element));
        }

        final int scaleAt = HostRows.mismatch(outputs.received().xScales(), at, must, input.input().hidden());
        final int group = scaleAt / Float.BYTES;
        return scaleAt < 0 ? null : "recv_x_scales[" + group + "] is " +
            HostRows.row(outputs.received().xScales(), at).getFloat(group * Float.BYTES) + ", must be " +
            must.getFloat(input.input().hidden() + group * Float.BYTES);
    }

    private String combined()
    {
        boolean isWhole = true;
        for (final boolean isAnswered : outputs.answered())
        {
            isWhole &= isAnswered;
        }

        for (int token = 0; token < expectation.ownTokens(); token++)
        {
            final int own = token;
            final String difference = HostRows.bf16Difference(outputs.combined(), token,
                isWhole ? expectation.combined(token) : bytes(expectation.combined(token, outputs.answered())),
                () -> "rank " + expectation.rank() + ", token " + own + call() + ": combined_x");
            if (null != difference)
            {
                return difference;
            }
        }

        return null;
    }

    private String name(final int expert, final int row)
    {
        return name(expert) + ", row " + row;
    }

    private String name(final int expert)
    {
        return "rank " + expectation.rank() + call() + ", expert " +
            (expectation.rank() * input.expertsPerRank() + expert);
    }

    /** Said only where there are several. */
    private String call()
    {
        return 1 == input.calls() ? "" : ", call " + expectation.call();
    }

    private static ByteBuffer bytes(final short[] row)
    {
        final ByteBuffer bytes = ByteBuffer.allocate(row.length * Short.BYTES).order(ByteOrder.nativeOrder());
        bytes.asShortBuffer().put(row);
        return bytes;
    }
}
