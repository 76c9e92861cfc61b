/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.benchmarks;

import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/** A pair of ranks for each transport and each way that it takes on one host. */
@State(Scope.Thread)
public class PairState
{
    /** Name of the transport, and its options. */
    @Param({"aeron data-path=mapped", "aeron data-path=messages", "ucx tls=posix", "ucx tls=tcp"})
    public String transport;

    private RankPair pair;

    /** Opens the pair. */
    @Setup(Level.Trial)
    public void open()
    {
        pair = new RankPair(transport);
    }

    /** Sets the deadline of what is waited for. */
    @Setup(Level.Iteration)
    public void begin()
    {
        pair.begin();
    }

    /** Closes the pair. */
    @TearDown(Level.Trial)
    public void close()
    {
        pair.close();
    }

    RankPair pair()
    {
        return pair;
    }
}
