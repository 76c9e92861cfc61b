/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.tck;

/** Operations that move bytes of regions. */
enum Transfer
{
    PUT,
    PUT_ROWS,
    LOAD
}
