/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.kernels.host;

import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How far each form is in this JVM. Vectors that C2 has not compiled yet are some ten times slower than scalar code
 * and allocate at every step, so that a form is driven on a daemon thread, over memory of its own, until it allocates
 * nothing; the kernels are compilations of their own, so that what was compiled there serves every queue.
 */
final class VectorWarmUp
{
    private static final Logger LOG = LoggerFactory.getLogger(VectorWarmUp.class);
    private static final AtomicReferenceArray<State> STATES = new AtomicReferenceArray<>(VectorForm.COUNT);

    private static final AtomicLongArray SCALAR_BYTES = new AtomicLongArray(VectorForm.COUNT);

    private enum State
    {
        WARMING,
        READY,
        REFUSED
    }

    private VectorWarmUp()
    {
    }

    /**
     * Whether a form is compiled and trusted.
     *
     * @param form asked for.
     * @return true from then on, unless it is refused later.
     */
    static boolean isReady(final VectorForm form)
    {
        return State.READY == STATES.getAcquire(form.ordinal());
    }

    /**
     * Whether the warm-up of a form is over, for good or ill.
     *
     * @param form asked for.
     * @return true if no thread works on it any more.
     */
    static boolean isSettled(final VectorForm form)
    {
        final State state = STATES.getAcquire(form.ordinal());

        return null != state && State.WARMING != state;
    }

    /**
     * Count what scalar code does of a form, by all queues, and start to warm its vectors up once they are worth it.
     */
    static void countScalar(final VectorForm form, final long bytes)
    {
        if (SCALAR_BYTES.addAndGet(form.ordinal(), bytes) >= VectorForm.WORTH_BYTES &&
            null == STATES.getAcquire(form.ordinal()) && STATES.compareAndSet(form.ordinal(), null, State.WARMING))
        {
            final Thread thread = new Thread(() -> warm(form), "transload-kernel-warm-up");
            thread.setDaemon(true);
            thread.start();
        }
    }

    /** Leave a form to scalar code for the life of this JVM. */
    static void refuse(final VectorForm form, final String reason)
    {
        if (State.REFUSED != STATES.getAndSet(form.ordinal(), State.REFUSED))
        {
            LOG.info("{} stays scalar: {}", form, reason);
        }
    }

    private static void warm(final VectorForm form)
    {
        try
        {
            final String untrusted = VectorSupport.untrustedBecause();
            final String failure = null == untrusted ?
                new VectorCheck(new VectorArithmetic()).failureOnceCompiled(form) : untrusted;
            if (null == failure)
            {
                STATES.setRelease(form.ordinal(), State.READY);
                LOG.debug("{} uses vectors from now on", form);
            }
            else
            {
                refuse(form, failure);
            }
        }
        catch (final LinkageError | RuntimeException ex)
        {
            LOG.debug("warm-up of {} failed", form, ex);
            refuse(form, "its vector form failed with " + ex);
        }
    }
}
