/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.spi;

/** The operations with respect to which an atomic add to an ordinary region is atomic (rule ORD-6). */
public enum AtomicScope
{
    /** The transport offers no atomic adds to ordinary regions. */
    NONE,
    /** The add is atomic with respect to atomic adds through the same transport. */
    TRANSPORT,
    /**
     * The add is atomic with respect to atomic adds through the same transport, and also with respect to atomic
     * operations of CPUs and devices.
     */
    SYSTEM
}
