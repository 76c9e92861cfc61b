/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.lowlatency;

import dev.transload.cli.verify.HostRows;
import dev.transload.engine.Tensor;
import dev.transload.reference.E4m3;
import java.util.Arrays;
import java.util.List;

/**
 * Compares a call bit for bit and says, in one sentence, where the first difference is. The rows of an expert are in
 * the order of their source ranks, and of its tokens; a source that did not arrive has none.
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

            rows += outputs.count(expert, source);
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
        final String name = name(expert, row) + " (from rank " + source + ", token " + token + "): ";
        if (outputs.srcInfo(expert, row) != token)
        {
            return name + "recv_src_info is " + outputs.srcInfo(expert, row) + ", must be " + token;
        }

        final int at = expert * outputs.rowsPerExpert() + row;
        if (!input.isFp8())
        {
            final short[] must = new short[input.input().hidden()];
            expectation.bf16(source, token, must);
            return bf16Difference(name + "recv_x", outputs.received().x(), at, must);
        }

        final byte[] must = new byte[input.input().hidden()];
        final float[] mustScales = new float[must.length / E4m3.GROUP];
        expectation.fp8(source, token, must, mustScales);
        final byte[] is = new byte[must.length];
        HostRows.row(outputs.received().x(), at).get(is);
        final int element = Arrays.mismatch(is, must);
        if (element >= 0)
        {
            return String.format("%srecv_x[%d] is 0x%02x, must be 0x%02x", name, element, is[element], must[element]);
        }

        final float[] scales = new float[mustScales.length];
        HostRows.row(outputs.received().xScales(), at).asFloatBuffer().get(scales);
        final int group = Arrays.mismatch(scales, mustScales);
        return group < 0 ? null :
            name + "recv_x_scales[" + group + "] is " + scales[group] + ", must be " + mustScales[group];
    }

    private String combined()
    {
        for (int token = 0; token < expectation.ownTokens(); token++)
        {
            final String difference = bf16Difference(
                "rank " + expectation.rank() + ", token " + token + call() + ": combined_x",
                outputs.combined(), token, expectation.combined(token, outputs.answered()));
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

    private static String bf16Difference(final String name, final Tensor tensor, final int row, final short[] must)
    {
        final short[] is = new short[must.length];
        HostRows.row(tensor, row).asShortBuffer().get(is);
        final int at = Arrays.mismatch(is, must);
        return at < 0 ? null :
            String.format("%s[%d] is 0x%04x, must be 0x%04x", name, at, is[at] & 0xFFFF, must[at] & 0xFFFF);
    }
}
