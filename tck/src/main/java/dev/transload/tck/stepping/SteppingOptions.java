/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.tck.stepping;

import dev.transload.spi.Capability;
import dev.transload.spi.MemoryKind;
import java.util.HashSet;
import java.util.Set;

/**
 * How hard a {@link SteppingFabric} tries to surprise.
 *
 * @param aggressiveness      in [0, 1]: chance of refusals, torn rows, short prefixes and late news; 0 is calm.
 * @param maxDelaySteps       most steps that a piece of an operation waits before it may run.
 * @param queueCapacity       operations that a channel holds, positive.
 * @param kernelQueueCapacity operations that a queue of kernels holds, positive.
 * @param livenessSteps       steps after which a killed peer's channels fail.
 * @param autonomousTarget    false to apply inbound operations mostly while the target's workers make progress.
 * @param kinds               memory kinds offered.
 * @param optional            capabilities offered besides those that follow from the other options.
 * @param maxWorkers          workers that one transport will open.
 * @param offsetAlignment     of put and load, a power of two.
 * @param maxPutLength        longest put and load in bytes, positive.
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
    /** Memory that the JVM cannot look into. */
    public static final MemoryKind OPAQUE = new MemoryKind("OPAQUE");

    private static final int DEFAULT_MAX_DELAY_STEPS = 12;
    private static final int DEFAULT_QUEUE_CAPACITY = 64;
    private static final int DEFAULT_LIVENESS_STEPS = 400;
    private static final int DEFAULT_MAX_WORKERS = 64;

    /** Checks the values. */
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
     * Host memory only.
     *
     * @return options.
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
     * Host memory for metadata and {@link #OPAQUE} memory for payload.
     *
     * @return options.
     */
    public static SteppingOptions opaque()
    {
        return host().kinds(Set.of(MemoryKind.HOST, OPAQUE));
    }

    /**
     * With another aggressiveness.
     *
     * @param value in [0, 1].
     * @return changed copy.
     */
    public SteppingOptions aggressiveness(final double value)
    {
        return new SteppingOptions(value, maxDelaySteps, queueCapacity, kernelQueueCapacity, livenessSteps,
            autonomousTarget, kinds, optional, maxWorkers, offsetAlignment, maxPutLength);
    }

    /**
     * With another delay.
     *
     * @param value steps.
     * @return changed copy.
     */
    public SteppingOptions maxDelaySteps(final int value)
    {
        return new SteppingOptions(aggressiveness, value, queueCapacity, kernelQueueCapacity, livenessSteps,
            autonomousTarget, kinds, optional, maxWorkers, offsetAlignment, maxPutLength);
    }

    /**
     * With other queues, of channels and of kernels.
     *
     * @param value operations.
     * @return changed copy.
     */
    public SteppingOptions queueCapacity(final int value)
    {
        return new SteppingOptions(aggressiveness, maxDelaySteps, value, value, livenessSteps, autonomousTarget, kinds,
            optional, maxWorkers, offsetAlignment, maxPutLength);
    }

    /**
     * With another time until a killed peer's channels fail.
     *
     * @param value steps.
     * @return changed copy.
     */
    public SteppingOptions livenessSteps(final int value)
    {
        return new SteppingOptions(aggressiveness, maxDelaySteps, queueCapacity, kernelQueueCapacity, value,
            autonomousTarget, kinds, optional, maxWorkers, offsetAlignment, maxPutLength);
    }

    /**
     * With targets that need their own threads, or not.
     *
     * @param value true when operations land while the target calls nothing.
     * @return changed copy.
     */
    public SteppingOptions autonomousTarget(final boolean value)
    {
        return new SteppingOptions(aggressiveness, maxDelaySteps, queueCapacity, kernelQueueCapacity, livenessSteps,
            value, kinds, optional, maxWorkers, offsetAlignment, maxPutLength);
    }

    /**
     * With other memory kinds.
     *
     * @param value kinds.
     * @return changed copy.
     */
    public SteppingOptions kinds(final Set<MemoryKind> value)
    {
        return new SteppingOptions(aggressiveness, maxDelaySteps, queueCapacity, kernelQueueCapacity, livenessSteps,
            autonomousTarget, value, optional, maxWorkers, offsetAlignment, maxPutLength);
    }

    /**
     * With other capabilities; see {@link #withoutAtomics()} for some.
     *
     * @param value capabilities.
     * @return changed copy.
     */
    public SteppingOptions optional(final Set<Capability> value)
    {
        return new SteppingOptions(aggressiveness, maxDelaySteps, queueCapacity, kernelQueueCapacity, livenessSteps,
            autonomousTarget, kinds, value, maxWorkers, offsetAlignment, maxPutLength);
    }

    /**
     * As a network card without atomic operations: neither {@link Capability#REGION_ATOMICS} nor
     * {@link Capability#SHARED_SIGNALS}. A signal is a put of 8 bytes: the total of the only channel that adds to it.
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
     * With another alignment of put and load.
     *
     * @param value bytes, a power of two.
     * @return changed copy.
     */
    public SteppingOptions offsetAlignment(final int value)
    {
        return new SteppingOptions(aggressiveness, maxDelaySteps, queueCapacity, kernelQueueCapacity, livenessSteps,
            autonomousTarget, kinds, optional, maxWorkers, value, maxPutLength);
    }

    /**
     * With a limit of puts and loads.
     *
     * @param value bytes, positive.
     * @return changed copy.
     */
    public SteppingOptions maxPutLength(final long value)
    {
        return new SteppingOptions(aggressiveness, maxDelaySteps, queueCapacity, kernelQueueCapacity, livenessSteps,
            autonomousTarget, kinds, optional, maxWorkers, offsetAlignment, value);
    }
}
