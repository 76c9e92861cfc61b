/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine;

/** Which ranks are reached in place, by windows to their memory. */
public enum Near
{
    /** Those that have windows to each other's memory; others by puts. */
    AUTO,

    /** Of these, those of the own node; others by puts of the scale-out transport. */
    NODE,

    /** None: all by puts, of the scale-out transport where there is one that reaches them. */
    NEVER
}
