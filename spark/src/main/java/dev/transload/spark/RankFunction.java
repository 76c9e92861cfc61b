/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.spark;

import java.io.Serializable;
import java.util.Iterator;

/**
 * What each rank does with its partition of a {@code Dataset}.
 *
 * @param <T> rows of the partition.
 * @param <R> rows of the result.
 */
@FunctionalInterface
public interface RankFunction<T, R> extends Serializable
{
    /**
     * Work of one rank. The rows of the result may be made one by one as Spark takes them; calls of the engine are
     * collective even so, which {@link SparkRanks#batches} helps with.
     *
     * @param ranks the world, closed by itself when the task ends.
     * @param rows  of the rank's partition.
     * @return rows of the result.
     * @throws Exception which fails the task: Spark repeats the whole stage.
     */
    Iterator<R> call(SparkRanks ranks, Iterator<T> rows) throws Exception;
}
