/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.bench;

/** What no transport of a kind of memory is expected to outdo, measured in turns with it. */
interface Limit
{
    /** Name in results. */
    String name();

    /**
     * One pass.
     *
     * @param size  of the operations that it is compared with, in bytes.
     * @param count of them.
     * @return GB/s.
     */
    double gbps(int size, int count);
}
