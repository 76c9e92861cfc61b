/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.bench;

/**
 * What is known of an input before anything runs.
 *
 * @param deepEp  bytes of a call as DeepEP counts them.
 * @param routing where the tokens of an iteration go.
 * @param calls   of an iteration.
 */
record InputFigures(DeepEpBytes deepEp, RoutingFigures routing, int calls)
{
}
