/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.steps;

/** One primitive of a program: begun once, then worked on until it is done. */
interface Primitive
{
    void begin(long nowNs);

    /** Goes on; returns true when it is done. The time was read before. */
    boolean isDone(long nowNs);
}
