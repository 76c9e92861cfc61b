/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.input;

/** Token rows of all ranks. Not thread-safe. */
public interface RowSource extends AutoCloseable
{
    /**
     * A row as the experts see it; of FP8 rows, their BF16 values.
     *
     * @param rank  source.
     * @param token on it.
     * @param into  [hidden] BF16, filled.
     */
    void bf16(int rank, int token, short[] into);

    /**
     * An FP8 row.
     *
     * @param rank   source.
     * @param token  on it.
     * @param q      [hidden] E4M3, filled.
     * @param scales [hidden/128], filled.
     */
    void fp8(int rank, int token, byte[] q, float[] scales);

    @Override
    void close();
}
