/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine;

import dev.transload.engine.loopback.LoopbackNetwork;
import dev.transload.spi.MemoryKind;
import dev.transload.tck.stepping.SteppingOptions;
import java.util.Arrays;
import java.util.Locale;

/**
 * A scenario whose outputs are recorded, with what a {@link Scenario} does not say. Outputs depend on the inputs only:
 * not on the fabric, nor on who brings the output.
 *
 * @param number   of the scenario, from 1.
 * @param scenario inputs and settings.
 * @param fabric   below the engines, and who drives them.
 * @param output   who brings outputs.
 * @param hasWeights whether dispatch is given weights.
 * @param senders  of a channel, a setting that left the engine.
 * @param isPacking another one.
 */
record RecordedScenario(
    int number, Scenario scenario, Fabric fabric, Output output, boolean hasWeights, int senders, boolean isPacking)
{
    private static final int REFUSAL_INTERVAL = 7;

    /** Who brings the outputs of a dispatch. */
    enum Output
    {
        /** The engine allocates them. */
        ENGINE,
        /** A callback, which is told the size. */
        CALLBACK,
        /** The caller beforehand, with room for all rows that may come. */
        WORST_CASE
    }

    /** Transports, the memory of the payload, and what drives the engines. */
    enum Fabric
    {
        /** Loopback, one thread for all ranks. */
        LOOPBACK,
        /** Loopback, device payload staged between nodes. */
        LOOPBACK_STAGED,
        /** Stepping, host payload. */
        STEPPING,
        /** Stepping, host payload, a transport for each stage, peers' memory not mapped. */
        STEPPING_APART,
        /** Stepping, device payload. */
        STEPPING_DEVICE,
        /** Stepping, device payload, calls between events of other device work. */
        STEPPING_EVENTS,
        /** Stepping, device payload staged between nodes. */
        STEPPING_STAGED,
        /** Loopback, two engine threads a rank, a channel each. */
        THREADS,
        /** Loopback, device payload staged between nodes, threads for each kind of role, tied to cores. */
        THREADS_OF_ROLES,
        /** Loopback, each rank's calling thread drives its engine. */
        CALLERS;

        /** Some threads a rank: worlds of at most four ranks. */
        boolean hasThreads()
        {
            return THREADS == this || THREADS_OF_ROLES == this || CALLERS == this;
        }

        void writeInto(final Scenario scenario)
        {
            scenario.isStaged = LOOPBACK_STAGED == this || STEPPING_STAGED == this || THREADS_OF_ROLES == this;
            scenario.isApart = STEPPING_APART == this;
            scenario.hasWindows = STEPPING_APART != this;
            switch (this)
            {
                case LOOPBACK_STAGED, THREADS_OF_ROLES -> scenario.kind = LoopbackNetwork.DEVICE;
                case STEPPING_DEVICE, STEPPING_EVENTS, STEPPING_STAGED -> scenario.kind = SteppingOptions.OPAQUE;
                default -> scenario.kind = MemoryKind.HOST;
            }

            // The row kernels of the loopback's devices do not copy to and from host memory.
            scenario.isTopkOnDevice &= !LoopbackNetwork.DEVICE.equals(scenario.kind);
            if (STEPPING_EVENTS == this)
            {
                scenario.more = "transload.payload.device = 0";
            }
            else if (THREADS == this)
            {
                scenario.threads = 2;
            }
            else if (THREADS_OF_ROLES == this)
            {
                scenario.threads = 6;
                scenario.more = "transload.threads { roles = [1, 1, 2, 1, 1], cores = auto }";
            }
        }
    }

    EngineWorld open()
    {
        return switch (fabric)
        {
            case LOOPBACK, LOOPBACK_STAGED, THREADS, THREADS_OF_ROLES -> new LoopbackWorld(scenario, REFUSAL_INTERVAL);
            case CALLERS -> new DrivenWorld(scenario);
            default -> new SteppingWorld(scenario);
        };
    }

    /** Inputs first, then settings. */
    String description()
    {
        final Scenario own = scenario;
        return own.nodes + "x" + own.ranksPerNode + " ranks, T=" + Arrays.toString(own.tokens).replace(" ", "") +
            ", top-" + own.topk + " of " + own.experts + ", " + choices() + ", " + (own.isFp8 ? "FP8" : "BF16") +
            " rows of " + own.hidden + ", " + words(own.layout) + " aligned to " + own.alignment + ", " + own.biases +
            " biases, wire " + (own.isWireF32 ? "f32" : "bf16") + ", " + weights() + "; output " + words(output) +
            ", placement " + own.placement + ", " + words(fabric) + (own.isTopkOnDevice ? ", top-k with payload" : "") +
            (isPacking ? ", packing" : "") + ", " + own.channels + " channels, " + senders + " senders, out " +
            own.outChunk + "/" + own.outBatch + "/" + own.outRing + " " + own.outCredit + ", up " + own.upChunk + "/" +
            own.upBatch + "/" + own.upRing + " " + own.upCredit;
    }

    private String choices()
    {
        final String source = null != scenario.vectors ? "vectors " + words((VectorInputs)scenario.vectors) :
            null != scenario.trace ? "trace " + scenario.trace : scenario.isHot ? "a hot expert" : "random";
        return source + (scenario.isMissingOnOddRanks ? ", odd ranks choose nobody" : "") +
            (VectorInputs.COMBINE == scenario.vectors ? "" : ", " + Math.round(100 * scenario.missing) + "% of -1");
    }

    private String weights()
    {
        return (hasWeights ? "weights" : "no weights") +
            (!scenario.isWeighted ? " not combined" : scenario.hasOwnWeights ? ", own ones combined" : " combined");
    }

    private static String words(final Enum<?> value)
    {
        return value.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    @Override
    public String toString()
    {
        return number + ": " + description();
    }
}
