/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.lowlatency;

import dev.transload.kernels.RowCopies;
import dev.transload.kernels.RowGates;
import java.util.function.IntPredicate;

/** Gates of others which count what is submitted, and to which some openings come too late. */
final class LateGates implements RowGates
{
    private final RowGates sound;
    private final IntPredicate isLate;
    private int submitted;
    private int openings;
    private int left;
    private int opened;

    LateGates(final RowGates sound, final IntPredicate isLate)
    {
        this.sound = sound;
        this.isLate = isLate;
    }

    /** Operations so far. */
    int submitted()
    {
        return submitted;
    }

    /** How often parts were opened. */
    int openings()
    {
        return openings;
    }

    /** How often an operation was to wait no longer. */
    int left()
    {
        return left;
    }

    @Override
    public long copyRows(final RowCopies copies)
    {
        final long position = sound.copyRows(copies);
        submitted += position >= 0 ? 1 : 0;
        opened = 0;
        return position;
    }

    @Override
    public void open(final int parts)
    {
        openings++;
        if (isLate.test(opened++))
        {
            sound.leave();
        }
        else
        {
            sound.open(parts);
        }
    }

    @Override
    public void leave()
    {
        left++;
        sound.leave();
    }

    @Override
    public int copied()
    {
        return sound.copied();
    }
}
