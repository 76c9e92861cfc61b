/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine;

/** How the producer of a ring learns how many rows the consumer has consumed. */
public enum CreditMode
{
    /** The consumer adds the number of newly consumed rows to a signal of the producer. */
    PUSH,
    /** The producer reads the number of consumed rows from the consumer's memory when the ring has no free slots. */
    PULL
}
