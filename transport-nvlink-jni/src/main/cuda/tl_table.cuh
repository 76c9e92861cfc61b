/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */

/* A table of rows and their entries, as dev.transload.kernels.RowTable lays it out. It lies beyond the bus. */

#ifndef TL_TABLE_CUH
#define TL_TABLE_CUH

#include "tl_device.cuh"

enum
{
    TL_TABLE_STRIDE = 8,
    TL_WEIGHT_STRIDE = 4,
    TL_REGION_MASK = 0xFFFF
};

/* A row; its entries end where those of the row behind it begin. */
struct tl_table_row
{
    uint32_t row;
    uint32_t first;
};

/* The upper half of mark is not 0 where a part begins. */
struct tl_table_entry
{
    uint32_t row;
    uint32_t mark;
};

/* Rows and entries that are in shared memory: a block's part of the table that is dealt with now. */
struct tl_batch
{
    uint64_t first_row;
    uint64_t end_row;
    uint32_t first_entry;
    uint32_t end_entry;
};

TL_FN struct tl_table_entry tl_read_entry(const struct tl_place *place, const uint64_t entries, const uint32_t index)
{
    const uint64_t word = tl_load8(place, entries + (uint64_t)index * TL_TABLE_STRIDE);
    struct tl_table_entry entry;
    entry.row = (uint32_t)word;
    entry.mark = (uint32_t)(word >> 32);
    return entry;
}

/* A phase: the batch's rows, and the one behind them. */
TL_FN void tl_fetch_table_rows(
    const struct tl_place *place, struct tl_table_row *shared, const uint64_t rows, const struct tl_batch *batch)
{
    for (uint64_t i = batch->first_row + place->thread; i <= batch->end_row; i += place->threads)
    {
        const uint64_t word = tl_load8(place, rows + i * TL_TABLE_STRIDE);
        shared[i - batch->first_row].row = (uint32_t)word;
        shared[i - batch->first_row].first = (uint32_t)(word >> 32);
    }
}

/* Which entries are in shared memory, of which there are at most most, once the rows are. */
TL_FN void tl_set_entries(struct tl_batch *batch, const struct tl_table_row *shared, const uint32_t most)
{
    const uint32_t first = shared[0].first;
    const uint32_t entries = shared[batch->end_row - batch->first_row].first - first;
    batch->first_entry = first;
    batch->end_entry = first + (uint32_t)tl_least(entries, most);
}

#endif
