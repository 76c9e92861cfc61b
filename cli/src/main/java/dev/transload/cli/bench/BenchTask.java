/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.bench;

import java.util.List;

/**
 * Description of a bench, equal on all ranks.
 *
 * @param transport name.
 * @param bytes     most of the region that is written to and read from; less where memory is short.
 * @param devices   ordinals dealt to the ranks in turn; empty for all that there are.
 * @param pair      whether the operations between two ranks are measured.
 * @param chunks    whether of these only chunks with and without signals are.
 * @param calls     whether the calls of the low-latency mode are.
 */
public record BenchTask(String transport, long bytes, List<Integer> devices, boolean pair, boolean chunks,
    boolean calls)
{
}
