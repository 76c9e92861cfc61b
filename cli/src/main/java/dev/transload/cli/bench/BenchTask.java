/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.bench;

/**
 * Description of a bench, equal on both ranks.
 *
 * @param transport   name.
 * @param targetBytes of the region that is written to and read from.
 */
public record BenchTask(String transport, long targetBytes)
{
}
