/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.ring;

import dev.transload.engine.wire.Wait;

/** How a consumer lets its producer know how far it has come in a ring. */
public interface CreditReturn
{
    /**
     * Report, in batches.
     *
     * @param head rows consumed.
     * @return work done.
     */
    int report(long head);

    /**
     * Whether a full batch is yet to be reported.
     *
     * @param head rows consumed.
     * @return true if {@link #report} has to be called again.
     */
    boolean isDue(long head);

    /**
     * Report what is left of a batch, where the producer waits for the last row.
     *
     * @param head rows consumed.
     * @return work done.
     */
    int reportAll(long head);

    /**
     * Whether everything is reported.
     *
     * @param head rows consumed.
     * @return true if the producer can know of all of them.
     */
    boolean isReported(long head);

    /** Report who keeps this from being reported. */
    boolean awaits(Wait wait);
}
