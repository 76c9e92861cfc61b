/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.report;

/**
 * What was run.
 *
 * @param nodes         N.
 * @param ranksPerNode  G.
 * @param origin        of the routing.
 * @param experts       E before padding.
 * @param paddedExperts E.
 * @param topk          K.
 * @param hidden        elements of a row.
 * @param dtype         {@code bf16} or {@code fp8}.
 * @param iterations    dispatches, each with its combine.
 * @param seed          of random numbers.
 */
public record RunHeader(
    int nodes,
    int ranksPerNode,
    String origin,
    int experts,
    int paddedExperts,
    int topk,
    int hidden,
    String dtype,
    int iterations,
    long seed)
{
}
