/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.runtime;

import dev.transload.engine.Completion;
import dev.transload.engine.internal.connect.Admission;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/**
 * A call between whose predecessors and successors ranks are readmitted. The engine's worker makes it: engine after
 * engine, until all ranks know of no more processes to readmit.
 */
final class MaskedReadmission extends MaskedCall<List<Integer>>
{
    private final TreeSet<Integer> readmitted = new TreeSet<>();
    private long number;
    private int epoch = -1;
    private long beginNs;

    MaskedReadmission(final MaskingEngine owner)
    {
        super(owner, null, null, null);
    }

    @Override
    void check(final NormalEngine engine)
    {
        // There is nothing that could be wrong.
    }

    @Override
    void taken(final long ofCalls)
    {
        number = ofCalls;
    }

    long number()
    {
        return number;
    }

    /** Whether the engine of an epoch has had too much time to make it. */
    boolean isOverdue(final Duration longest, final int current)
    {
        if (current != epoch)
        {
            epoch = current;
            beginNs = System.nanoTime();
        }

        return System.nanoTime() - beginNs > longest.toNanos();
    }

    /** The next engine has more ranks. */
    void add(final Map<Integer, Long> returned)
    {
        readmitted.addAll(returned.keySet());
    }

    /** All ranks know of no more. */
    void complete()
    {
        succeed(List.copyOf(readmitted));
    }

    @Override
    Completion<List<Integer>> submit(
        final NormalEngine engine, final int epoch, final Completion<List<Integer>> before)
    {
        throw new IllegalStateException("an engine does not readmit ranks itself");
    }

    @Override
    List<Integer> conclude(final List<Integer> of)
    {
        return of;
    }

    /** Processes that all ranks know of: where one did not, it would take the rank for lost. */
    static Map<Integer, Long> knownToAll(final List<ByteBuffer> told)
    {
        Map<Integer, Long> known = null;
        for (final ByteBuffer bytes : told)
        {
            final Map<Integer, Long> processes = Admission.decode(bytes.duplicate());
            if (null != known)
            {
                processes.entrySet().retainAll(known.entrySet());
            }

            known = processes;
        }

        return known;
    }
}
