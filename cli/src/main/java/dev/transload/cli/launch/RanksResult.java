/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.launch;

import com.fasterxml.jackson.databind.JsonNode;
import dev.transload.cli.outcome.Outcome;
import java.util.List;

/**
 * How the ranks ended.
 *
 * @param outcome of all together.
 * @param reports by rank; empty where another process has them, or where the world failed. Of a world that went on
 *                without some ranks, null for these.
 */
public record RanksResult(Outcome outcome, List<JsonNode> reports)
{
}
