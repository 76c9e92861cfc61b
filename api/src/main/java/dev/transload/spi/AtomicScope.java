/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.spi;

/** Other operations with which an atomic add to an ordinary region is atomic (rule ORD-6). */
public enum AtomicScope
{
    /** No atomic adds to ordinary regions are offered. */
    NONE,
    /** Atomic adds through the same transport. */
    TRANSPORT,
    /** Atomic adds through the same transport, and atomic operations of CPUs and devices on the same word. */
    SYSTEM
}
