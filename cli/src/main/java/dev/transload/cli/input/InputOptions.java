/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.input;

import dev.transload.cli.outcome.CommandException;

/**
 * Choices of what a run sends; null where none was made.
 *
 * @param trace   router log; null for the one shipped, unless tokens or input say otherwise.
 * @param tokens  tokens a rank with random routing.
 * @param input   directory of tensor files.
 * @param experts E before padding.
 * @param topk    K.
 * @param hidden  elements of a row.
 * @param dtype   {@code bf16} or {@code fp8}.
 * @param seed    of all random numbers.
 */
public record InputOptions(
    String trace, Integer tokens, String input, Integer experts, Integer topk, Integer hidden, String dtype, long seed)
{
    /** Elements of a row unless chosen. */
    public static final int DEFAULT_HIDDEN = 2048;

    /** Seed unless chosen. */
    public static final long DEFAULT_SEED = 20_261_121;

    /** Type of 16-bit rows. */
    public static final String BF16 = "bf16";

    /** Type of 8-bit rows with scales. */
    public static final String FP8 = "fp8";

    /**
     * Type of rows, where it is one.
     *
     * @return {@link #BF16}, {@link #FP8}, or null where none was chosen.
     * @throws CommandException with exit code 2 for any other.
     */
    public String checkedDtype()
    {
        if (null != dtype && !BF16.equals(dtype) && !FP8.equals(dtype))
        {
            throw CommandException.badInput("--dtype " + dtype + " is not allowed: must be bf16 or fp8");
        }

        return dtype;
    }
}
