/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.launch;

import com.fasterxml.jackson.databind.JsonNode;

/** What each rank of a world does. */
@FunctionalInterface
public interface RankTask
{
    /**
     * Do it. After a loss of ranks that are started again, a process does so once more, in the next world.
     *
     * @param place of this rank, and its means.
     * @param task  description, equal on all ranks.
     * @return report.
     * @throws Exception which ends the rank with the exit code and sentence that it stands for.
     */
    JsonNode run(RankPlace place, JsonNode task) throws Exception;
}
