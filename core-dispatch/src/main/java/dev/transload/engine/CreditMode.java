/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine;

/** How a producer learns how many rows the consumer of its ring has consumed. */
public enum CreditMode
{
    /** The consumer adds the number of consumed rows to a signal of the producer. */
    PUSH,
    /** The producer loads the consumer's head when the ring has no free slots. */
    PULL
}
