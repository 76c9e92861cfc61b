/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.recording;

import java.util.List;

/**
 * Numbers of ranks in a world.
 *
 * @param ranksPerNode number of ranks of each node.
 */
public record WorldShape(List<Integer> ranksPerNode)
{
}
