/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.tck.stepping;

/** One submitted operation of {@link SteppingKernels}: begun in one step, finished in a later one. */
abstract class KernelOperation
{
    private long submission;
    private long notBefore;
    private boolean begun;

    /** Throws for misuse, before anything is submitted. */
    abstract void check();

    /** Whether it has no rows. */
    abstract boolean isEmpty();

    /** Whether what it waits for has happened. */
    boolean mayBegin()
    {
        return true;
    }

    /** Spoils the target rows: they are undefined until the operation completes. */
    abstract void spoil(Chance chance);

    /** Reads lists and sources as they are now, and writes the target. */
    abstract void finish();

    void submit(final long number, final long earliest)
    {
        submission = number;
        notBefore = earliest;
    }

    long submission()
    {
        return submission;
    }

    long notBefore()
    {
        return notBefore;
    }

    boolean isBegun()
    {
        return begun;
    }

    void begin(final Chance chance)
    {
        begun = true;
        spoil(chance);
    }
}
