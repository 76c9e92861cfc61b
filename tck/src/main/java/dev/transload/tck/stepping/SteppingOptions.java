/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.tck.stepping;

import dev.transload.spi.Capability;
import dev.transload.spi.MemoryKind;
import java.util.HashSet;
import java.util.Set;

/**
 * Options of a {@link SteppingFabric}: chances of delays and errors, limits, and offered capabilities.
 *
 * @param aggressiveness      factor in [0, 1] for the chances of refused operations, split rows, partly accepted row
 *                            lists, delays and late notifications; 0 disables them.
 * @param maxDelaySteps       largest number of steps that a piece of an operation waits before it may run.
 * @param queueCapacity       number of operations that a channel can hold, at least 1.
 * @param kernelQueueCapacity number of operations that a queue of kernels can hold, at least 1.
 * @param livenessSteps       approximate longest time, in steps, until channels to a killed peer fail.
 * @param autonomousTarget    false if most inbound operations are applied only while the target's workers make
 *                            progress.
 * @param kinds               offered memory kinds.
 * @param optional            offered capabilities, in addition to those that follow from the other options.
 * @param maxWorkers          largest number of workers of one transport.
 * @param offsetAlignment     required alignment of offsets of puts and loads in bytes, a power of two.
 * @param maxPutLength        largest length of a put or load in bytes, at least 1.
 */
public record SteppingOptions(
    double aggressiveness,
    int maxDelaySteps,
    int queueCapacity,
    int kernelQueueCapacity,
    int livenessSteps,
    boolean autonomousTarget,
    Set<MemoryKind> kinds,
    Set<Capability> optional,
    int maxWorkers,
    int offsetAlignment,
    long maxPutLength)
{
    /** Memory kind that the JVM cannot read or write. */
    public static final MemoryKind OPAQUE = new MemoryKind("OPAQUE");

    private static final int DEFAULT_MAX_DELAY_STEPS = 12;
    private static final int DEFAULT_QUEUE_CAPACITY = 64;
    private static final int DEFAULT_LIVENESS_STEPS = 400;
    private static final int DEFAULT_MAX_WORKERS = 64;

    /** Checks the values of the options. */
    public SteppingOptions
    {
        if (!(aggressiveness >= 0 && aggressiveness <= 1) || maxDelaySteps < 0 || queueCapacity < 1 ||
            kernelQueueCapacity < 1 || livenessSteps < 1 || maxWorkers < 1 || kinds.isEmpty() ||
            Integer.bitCount(offsetAlignment) != 1 || maxPutLength < 1)
        {
            throw new IllegalArgumentException("options out of range: aggressiveness=" + aggressiveness +
                " must be in [0, 1], maxDelaySteps=" + maxDelaySteps + " not negative, queueCapacity=" + queueCapacity +
                ", kernelQueueCapacity=" + kernelQueueCapacity + ", livenessSteps=" + livenessSteps +
                ", maxWorkers=" + maxWorkers + ", maxPutLength=" + maxPutLength +
                " positive, kinds=" + kinds +
                " not empty, offsetAlignment=" + offsetAlignment + " a power of two");
        }

        kinds = Set.copyOf(kinds);
        optional = Set.copyOf(optional);
    }

    /**
     * Returns options with host memory only.
     *
     * @return new options.
     */
    public static SteppingOptions host()
    {
        return new SteppingOptions(0.5, DEFAULT_MAX_DELAY_STEPS, DEFAULT_QUEUE_CAPACITY, DEFAULT_QUEUE_CAPACITY,
            DEFAULT_LIVENESS_STEPS, true, Set.of(MemoryKind.HOST),
            Set.of(Capability.REGISTER_REMOTE, Capability.REGION_ATOMICS, Capability.SHARED_SIGNALS,
                Capability.WINDOWS, Capability.REGISTERED_WINDOWS),
            DEFAULT_MAX_WORKERS, 1, SteppingFabric.MAX_LENGTH);
    }

    /**
     * Returns options with host memory for metadata and {@link #OPAQUE} memory for payload.
     *
     * @return new options.
     */
    public static SteppingOptions opaque()
    {
        return host().kinds(Set.of(MemoryKind.HOST, OPAQUE));
    }

    /**
     * Returns a copy with a different aggressiveness.
     *
     * @param value aggressiveness in [0, 1].
     * @return changed copy.
     */
    public SteppingOptions aggressiveness(final double value)
    {
        return new SteppingOptions(value, maxDelaySteps, queueCapacity, kernelQueueCapacity, livenessSteps,
            autonomousTarget, kinds, optional, maxWorkers, offsetAlignment, maxPutLength);
    }

    /**
     * Returns a copy with a different maximum delay.
     *
     * @param value maximum delay in steps.
     * @return changed copy.
     */
    public SteppingOptions maxDelaySteps(final int value)
    {
        return new SteppingOptions(aggressiveness, value, queueCapacity, kernelQueueCapacity, livenessSteps,
            autonomousTarget, kinds, optional, maxWorkers, offsetAlignment, maxPutLength);
    }

    /**
     * Returns a copy with a different capacity of the queues of channels and kernels.
     *
     * @param value number of operations.
     * @return changed copy.
     */
    public SteppingOptions queueCapacity(final int value)
    {
        return new SteppingOptions(aggressiveness, maxDelaySteps, value, value, livenessSteps, autonomousTarget, kinds,
            optional, maxWorkers, offsetAlignment, maxPutLength);
    }

    /**
     * Returns a copy with a different time until channels to a killed peer fail.
     *
     * @param value time in steps.
     * @return changed copy.
     */
    public SteppingOptions livenessSteps(final int value)
    {
        return new SteppingOptions(aggressiveness, maxDelaySteps, queueCapacity, kernelQueueCapacity, value,
            autonomousTarget, kinds, optional, maxWorkers, offsetAlignment, maxPutLength);
    }

    /**
     * Returns a copy with a different value of {@link #autonomousTarget()}.
     *
     * @param value true if inbound operations are applied even while the target makes no calls.
     * @return changed copy.
     */
    public SteppingOptions autonomousTarget(final boolean value)
    {
        return new SteppingOptions(aggressiveness, maxDelaySteps, queueCapacity, kernelQueueCapacity, livenessSteps,
            value, kinds, optional, maxWorkers, offsetAlignment, maxPutLength);
    }

    /**
     * Returns a copy with different memory kinds.
     *
     * @param value offered memory kinds.
     * @return changed copy.
     */
    public SteppingOptions kinds(final Set<MemoryKind> value)
    {
        return new SteppingOptions(aggressiveness, maxDelaySteps, queueCapacity, kernelQueueCapacity, livenessSteps,
            autonomousTarget, value, optional, maxWorkers, offsetAlignment, maxPutLength);
    }

    /**
     * Returns a copy with different capabilities; see also {@link #withoutAtomics()}.
     *
     * @param value offered capabilities.
     * @return changed copy.
     */
    public SteppingOptions optional(final Set<Capability> value)
    {
        return new SteppingOptions(aggressiveness, maxDelaySteps, queueCapacity, kernelQueueCapacity, livenessSteps,
            autonomousTarget, kinds, value, maxWorkers, offsetAlignment, maxPutLength);
    }

    /**
     * Returns a copy that behaves like a network card without atomic operations: it has neither
     * {@link Capability#REGION_ATOMICS} nor {@link Capability#SHARED_SIGNALS}. Each signal word then has only one
     * channel that adds to it, and an add is a put of the 8-byte total.
     *
     * @return changed copy.
     */
    public SteppingOptions withoutAtomics()
    {
        final Set<Capability> others = new HashSet<>(optional);
        others.removeAll(Set.of(Capability.REGION_ATOMICS, Capability.SHARED_SIGNALS));
        return optional(others);
    }

    /**
     * Returns a copy with a different alignment of puts and loads.
     *
     * @param value alignment in bytes, a power of two.
     * @return changed copy.
     */
    public SteppingOptions offsetAlignment(final int value)
    {
        return new SteppingOptions(aggressiveness, maxDelaySteps, queueCapacity, kernelQueueCapacity, livenessSteps,
            autonomousTarget, kinds, optional, maxWorkers, value, maxPutLength);
    }

    /**
     * Returns a copy with a limit on the length of puts and loads.
     *
     * @param value largest length in bytes, at least 1.
     * @return changed copy.
     */
    public SteppingOptions maxPutLength(final long value)
    {
        return new SteppingOptions(aggressiveness, maxDelaySteps, queueCapacity, kernelQueueCapacity, livenessSteps,
            autonomousTarget, kinds, optional, maxWorkers, offsetAlignment, value);
    }
}
