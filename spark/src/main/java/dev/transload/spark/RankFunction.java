/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.spark;

import java.io.Serializable;
import java.util.Iterator;

/**
 * Function that each rank applies to its partition of a {@code Dataset}.
 *
 * @param <T> type of the partition's rows.
 * @param <R> type of the result's rows.
 */
@FunctionalInterface
public interface RankFunction<T, R> extends Serializable
{
    /**
     * Processes the partition of one rank. The result may produce its rows lazily while Spark reads them. Engine calls
     * that are made at that time are collective too. {@link SparkRanks#batches} helps to make the same number of calls
     * on all ranks.
     *
     * @param ranks world of the rank, which closes automatically when the task ends.
     * @param rows  rows of the rank's partition.
     * @return rows of the result.
     * @throws Exception if the function fails; the task then fails and Spark repeats the whole stage.
     */
    Iterator<R> call(SparkRanks ranks, Iterator<T> rows) throws Exception;
}
