/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine;

/** Which ranks are reached in place, by windows to their memory. */
public enum Near
{
    /** Those that have windows to each other's memory; others by puts. */
    AUTO,

    /** None: all by puts. */
    NEVER
}
