/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.spi;

/** What an atomic add to an ordinary region is atomic against (rule ORD-6). */
public enum AtomicScope
{
    /** There are no atomics on ordinary regions. */
    NONE,
    /** Other atomics that go through this transport. */
    TRANSPORT,
    /** Also atomics of CPUs and devices on the same word. */
    SYSTEM
}
