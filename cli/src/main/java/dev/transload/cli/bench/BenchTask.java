/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.bench;

import java.util.List;

/**
 * Description of a bench, equal on both ranks.
 *
 * @param transport name.
 * @param bytes     most of the region that is written to and read from; less where memory is short.
 * @param devices   ordinals dealt to the ranks in turn; empty for all that there are.
 */
public record BenchTask(String transport, long bytes, List<Integer> devices)
{
}
