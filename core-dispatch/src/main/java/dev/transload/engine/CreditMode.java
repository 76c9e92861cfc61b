/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine;

/** How a consumer's progress in a ring comes back to its producer. */
public enum CreditMode
{
    /** The consumer adds what it consumed to a signal at the producer. */
    PUSH,
    /** The producer loads the consumer's head when it runs out of room. */
    PULL
}
