/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.verify;

import dev.transload.cli.outcome.CommandException;
import java.util.SplittableRandom;

/**
 * What experts answer to the rows that they are sent.
 * <p>
 * {@code echo}: the row as it came. {@code distinct}: a function of row and expert, exact in BF16, so that a sum shows
 * an answer of another row, expert or rank. Each expert has a mark, a pseudo-random sign and mantissa for each element,
 * and answers with {@code row XOR mark}; a rank that answers once for several experts uses the XOR of their marks. An
 * exponent of zero becomes that of 1/8, one of all ones that of 1, so that every answer is a normal number. The
 * answer to a negated row is the negated answer.
 */
public final class ExpertAnswers
{
    /** Answers are a function of row and expert. */
    public static final String DISTINCT = "distinct";

    /** Answers are the rows. */
    public static final String ECHO = "echo";

    private static final int MARKED_BITS = 0x807F;
    private static final int EXPONENT = 0x7F80;
    private static final int EXPONENT_OF_AN_EIGHTH = 124 << 7;
    private static final int EXPONENT_OF_ONE = 127 << 7;
    private static final long SEED = 0x7472616E736C6F61L;
    private static final int MARKS_PER_WORD = 4;

    private final boolean isDistinct;
    private final short[][] marks;
    private final int hidden;

    /**
     * Of all experts of a world.
     *
     * @param name    {@link #DISTINCT} or {@link #ECHO}.
     * @param experts E, padding included.
     * @param hidden  elements of a row.
     */
    public ExpertAnswers(final String name, final int experts, final int hidden)
    {
        this.isDistinct = DISTINCT.equals(check(name));
        this.marks = new short[experts][];
        this.hidden = hidden;
    }

    /**
     * Refuse what is neither.
     *
     * @param name as given.
     * @return name.
     * @throws CommandException with exit code 2 for any other.
     */
    public static String check(final String name)
    {
        if (!DISTINCT.equals(name) && !ECHO.equals(name))
        {
            throw CommandException.badInput("--answers " + name + " is not allowed: must be distinct or echo");
        }

        return name;
    }

    /** Whether answers differ from the rows. */
    public boolean isDistinct()
    {
        return isDistinct;
    }

    /**
     * Add an expert to those that a row is answered by.
     *
     * @param expert global number.
     * @param mark   [hidden], of the others so far; zeroes of none.
     */
    public void mark(final int expert, final short[] mark)
    {
        if (!isDistinct)
        {
            return;
        }

        if (null == marks[expert])
        {
            marks[expert] = draw(expert, hidden);
        }

        final short[] own = marks[expert];
        for (int i = 0; i < mark.length; i++)
        {
            mark[i] ^= own[i];
        }
    }

    /**
     * Answer to a row.
     *
     * @param row  [hidden] BF16, replaced by its answer.
     * @param mark of the experts.
     */
    public void answer(final short[] row, final short[] mark)
    {
        for (int i = 0; isDistinct && i < row.length; i++)
        {
            final int bits = row[i] ^ mark[i];
            final int exponent = bits & EXPONENT;
            row[i] = (short)(0 == exponent ? bits | EXPONENT_OF_AN_EIGHTH :
                EXPONENT == exponent ? bits & ~EXPONENT | EXPONENT_OF_ONE : bits);
        }
    }

    private static short[] draw(final int expert, final int hidden)
    {
        final SplittableRandom random = new SplittableRandom(SEED + expert);
        final short[] mark = new short[hidden];
        for (int begin = 0; begin < hidden; begin += MARKS_PER_WORD)
        {
            final long word = random.nextLong();
            for (int i = begin; i < Math.min(hidden, begin + MARKS_PER_WORD); i++)
            {
                mark[i] = (short)(word >>> (i - begin) * Short.SIZE & MARKED_BITS);
            }
        }

        return mark;
    }
}
