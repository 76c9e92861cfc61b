/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.tune;

import dev.transload.cli.input.RunInput;
import dev.transload.cli.rank.Calls;
import dev.transload.cli.rank.RankEngine;
import dev.transload.cli.rank.RankTensors;
import dev.transload.cli.settings.Settings;
import dev.transload.engine.Engine;
import dev.transload.rendezvous.Rendezvous;

/** Calls of the two-stage pipeline. */
final class NormalTrialCalls implements TrialCalls
{
    private static final int WARM_CALLS = 2;

    private final int rank;
    private final RunInput input;
    private final long mostRingBytes;

    /**
     * On a rank.
     *
     * @param rank          own number.
     * @param input         of all ranks.
     * @param mostRingBytes that rings of a rank may take.
     */
    NormalTrialCalls(final int rank, final RunInput input, final long mostRingBytes)
    {
        this.rank = rank;
        this.input = input;
        this.mostRingBytes = mostRingBytes;
    }

    @Override
    public int most()
    {
        return 200;
    }

    @Override
    public String refusal(final Settings settings)
    {
        final long ringBytes = Engine.ringBytes(settings.engine());
        return ringBytes <= mostRingBytes ? null : "its rings need " + (ringBytes >> 20) +
            " MiB a rank, of which there are " + (mostRingBytes >> 20);
    }

    @Override
    public Sample measure(final Settings settings, final Rendezvous world, final int calls, final long longestNs)
    {
        try (RankEngine engine = RankEngine.open(settings.engine(), world);
            Calls exchange = new Calls(engine, input, tensors(engine), 0, WARM_CALLS + calls, false, false))
        {
            return Sample.of(WARM_CALLS, calls, () -> timed(exchange));
        }
    }

    private static long timed(final Calls exchange)
    {
        final int index = exchange.times().index();
        exchange.run();
        return exchange.times().dispatchNs()[index] + exchange.times().combineNs()[index];
    }

    private RankTensors tensors(final RankEngine engine)
    {
        return engine.beside(() -> new RankTensors(engine.engine(), input, rank, false));
    }
}
