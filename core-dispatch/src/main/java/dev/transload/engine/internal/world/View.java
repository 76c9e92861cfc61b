/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.world;

/**
 * What the ranks have agreed on about each other: which of them take part. Each new view has the next epoch, and every
 * message of a call begins with its tag, so that none of another view or call is taken for one of this.
 *
 * @param epoch number of the view, from 0, in which all ranks take part.
 */
public record View(int epoch)
{
    /** The view with which a world begins: all ranks take part. */
    public static final View ALL = new View(0);

    private static final int CALL_BITS = 48;

    /**
     * Tag of a call in this view.
     *
     * @param call number, from 1.
     * @return epoch and number in one word.
     */
    public long tag(final long call)
    {
        return (long)epoch << CALL_BITS | call;
    }

    /**
     * Number of a call.
     *
     * @param tag of the call.
     * @return number, from 1.
     */
    public static long number(final long tag)
    {
        return tag & (1L << CALL_BITS) - 1;
    }
}
