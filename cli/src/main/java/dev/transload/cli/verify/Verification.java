/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.verify;

import dev.transload.cli.input.RunInput;
import dev.transload.cli.launch.Progress;
import dev.transload.engine.DispatchLayout;
import dev.transload.engine.DispatchOutput;
import dev.transload.engine.Tensor;
import dev.transload.reference.ReferenceDispatch;
import java.nio.ByteBuffer;
import java.util.Arrays;

/** Compares bit for bit and says, in one sentence, where the first difference is. */
public final class Verification
{
    private static final int ROWS_PER_STEP = 256;

    private final Expectation expectation;
    private final Outputs outputs;
    private final RunInput input;
    private final ReferenceDispatch expected;

    private Verification(final Expectation expectation, final Outputs outputs)
    {
        this.expectation = expectation;
        this.outputs = outputs;
        this.input = expectation.input();
        this.expected = expectation.dispatch();
    }

    /**
     * Verify what was delivered and what was combined.
     *
     * @param expectation of the rank.
     * @param outputs     of the rank.
     * @param progress    to tell.
     * @return null when all is as expected, else one sentence.
     */
    public static String of(final Expectation expectation, final Outputs outputs, final Progress progress)
    {
        final Verification verification = new Verification(expectation, outputs);
        final String received = verification.received(progress);
        return null == received ? verification.combined(progress) : received;
    }

    /**
     * Verify a layout.
     *
     * @param expectation of the rank.
     * @param layout      of the engine.
     * @return null when all is as expected, else one sentence.
     */
    public static String ofLayout(final Expectation expectation, final DispatchLayout layout)
    {
        final String counts = firstOf(
            difference(expectation, "num_tokens_per_rank", layout.tokensPerRank(),
                expectation.layout().tokensPerRank()),
            difference(expectation, "num_tokens_per_node", layout.tokensPerNode(),
                expectation.layout().tokensPerNode()),
            difference(expectation, "num_tokens_per_expert", layout.tokensPerExpert(),
                expectation.layout().tokensPerExpert()));
        return null != counts || Arrays.deepEquals(layout.tokenInRank(), expectation.layout().tokenInRank()) ? counts :
            "rank " + expectation.rank() + ": is_token_in_rank differs from the reference";
    }

    private String received(final Progress progress)
    {
        final int rows = Math.min(outputs.rows(), expected.rows());
        for (int row = 0; row < rows; row++)
        {
            final String difference = row(row);
            if (null != difference)
            {
                return difference;
            }

            if (0 == row % ROWS_PER_STEP)
            {
                progress.step("verifying rows", row, expected.rows());
            }
        }

        if (outputs.rows() < expected.rows())
        {
            return name(rows) + " is missing: received " + outputs.rows() + " rows, must be " + expected.rows();
        }

        if (outputs.rows() > expected.rows())
        {
            return "rank " + expectation.rank() + ", row " + rows + " is one too many: received " + outputs.rows() +
                " rows, must be " + expected.rows();
        }

        return firstOf(
            difference(expectation, "recv_rank_prefix_sum", outputs.rankPrefixSum(), expected.rankPrefixSum()),
            difference(expectation, "recv_num_tokens_per_expert", outputs.rowsPerExpert(), expected.rowsPerExpert()));
    }

    private String row(final int row)
    {
        final int source = HostRows.row(outputs.received().srcTokenIdx(), row).getInt();
        if (source != expected.srcTokenIdx()[row])
        {
            return name(row) + ": recv_src_token_idx is " + source + ", must be " + expected.srcTokenIdx()[row];
        }

        final int topk = expected.topk();
        final ByteBuffer idx = HostRows.row(outputs.received().topkIdx(), row);
        final ByteBuffer weights = HostRows.row(outputs.received().topkWeights(), row);
        for (int k = 0; k < topk; k++)
        {
            final int at = row * topk + k;
            final long choice = idx.getLong(k * Long.BYTES);
            if (choice != expected.topkIdx()[at])
            {
                return name(row) + ": recv_topk_idx[" + k + "] is " + choice + ", must be " + expected.topkIdx()[at];
            }

            final float weight = weights.getFloat(k * Float.BYTES);
            if (bits(weight) != bits(expected.topkWeights()[at]))
            {
                return name(row) + ": recv_topk_weights[" + k + "] is " + weight + ", must be " +
                    expected.topkWeights()[at];
            }
        }

        return payload(row);
    }

    private String payload(final int row)
    {
        if (expected.srcRank()[row] < 0)
        {
            return padding(row);
        }

        final ByteBuffer must = expectation.payload(row);
        final DispatchOutput received = outputs.received();
        if (!input.isFp8())
        {
            return HostRows.bf16Difference(received.x(), row, must, () -> name(row) + ": recv_x");
        }

        final int hidden = input.hidden();
        final int at = HostRows.mismatch(received.x(), row, must, 0);
        if (at >= 0)
        {
            return name(row) + ": recv_x[" + at + "] is 0x" + hex(HostRows.row(received.x(), row).get(at)) +
                ", must be 0x" + hex(must.get(at));
        }

        final int scaleAt = HostRows.mismatch(received.xScales(), row, must, hidden);
        if (scaleAt >= 0)
        {
            final int group = scaleAt / Float.BYTES;
            return name(row) + ": recv_x_scales[" + group + "] is " +
                HostRows.row(received.xScales(), row).getFloat(group * Float.BYTES) + ", must be " +
                must.getFloat(hidden + group * Float.BYTES);
        }

        return null;
    }

    /** Of expert-major rows: zeroes. */
    private String padding(final int row)
    {
        return firstOf(padding(row, "recv_x", outputs.received().x()),
            padding(row, "recv_x_scales", outputs.received().xScales()));
    }

    private String padding(final int row, final String tensor, final Tensor of)
    {
        final int at = null == of ? -1 :
            HostRows.mismatch(of, row, ByteBuffer.allocate(Math.toIntExact(of.rowBytes())), 0);
        return at < 0 ? null : name(row) + ": " + tensor + " has 0x" + hex(HostRows.row(of, row).get(at)) +
            " in byte " + at + ", must be zero";
    }

    private String combined(final Progress progress)
    {
        final int tokens = input.world().routing(expectation.rank()).tokens();
        final float[] mustWeights = expectation.combinedWeights();
        final float[] weights = new float[input.topk()];
        for (int token = 0; token < tokens; token++)
        {
            final int own = token;
            final String difference = HostRows.bf16Difference(
                outputs.combined(), token, expectation.combined(token), () -> name(own, "x"));
            if (null != difference)
            {
                return difference;
            }

            if (null != outputs.combinedWeights())
            {
                HostRows.row(outputs.combinedWeights(), token).asFloatBuffer().get(weights);
            }

            for (int k = 0; null != outputs.combinedWeights() && k < weights.length; k++)
            {
                final float must = mustWeights[token * weights.length + k];
                if (bits(weights[k]) != bits(must))
                {
                    return name(token, "topk_weights") + "[" + k + "] is " + weights[k] + ", must be " + must;
                }
            }

            if (0 == token % ROWS_PER_STEP)
            {
                progress.step("verifying sums", token, tokens);
            }
        }

        return null;
    }

    private String name(final int token, final String tensor)
    {
        return "rank " + expectation.rank() + ", token " + token + ": combined_" + tensor;
    }

    private String name(final int row)
    {
        final int source = expected.srcRank()[row];
        return "rank " + expectation.rank() + ", row " + row + (source < 0 ? " (padding)" :
            " (from rank " + source + ", token " + expected.srcTokenIdx()[row] + ")");
    }

    private static String difference(
        final Expectation expectation, final String name, final int[] is, final int[] must)
    {
        final int at = Arrays.mismatch(is, must);
        if (at < 0)
        {
            return null;
        }

        final String where = "rank " + expectation.rank() + ": " + name;
        return is.length != must.length ?
            where + " has " + is.length + " elements, must have " + must.length :
            where + "[" + at + "] is " + is[at] + ", must be " + must[at];
    }

    private static String firstOf(final String... differences)
    {
        return Arrays.stream(differences).filter((difference) -> null != difference).findFirst().orElse(null);
    }

    private static int bits(final float value)
    {
        return Float.floatToRawIntBits(value);
    }

    private static String hex(final byte value)
    {
        return String.format("%02x", value);
    }
}
