/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */

/*
 * Rows from one place to many, as dev.transload.kernels.RowScatter states them. The unit of work is a segment of a row,
 * as in tl_copy.cuh: one warp reads it once, into registers, and writes it to all places. A row's scales, the second
 * plane, are units behind those of the row. Stores that wait for a link hold back all later stores of their
 * multiprocessor. So blocks of their own may write what stays on the device; these read such rows once more.
 */

#ifndef TL_SCATTER_CUH
#define TL_SCATTER_CUH

#include "tl_copy.cuh"
#include "tl_table.cuh"

enum
{
    TL_SCATTERED_AT_ONCE = 512,
    TL_COPIES_AT_ONCE = 2048
};

/* Where a row goes, by plane. */
struct tl_copies
{
    uint64_t address[TL_PLANES];
};

struct tl_scatter_shared
{
    struct tl_table_row row[TL_SCATTERED_AT_ONCE + 1];
    struct tl_copies copy[TL_COPIES_AT_ONCE];
};

/* The blocks that work together, and to which regions: those of near, or all others. */
struct tl_team
{
    uint32_t block;
    uint32_t blocks;
    uint32_t excluded;
};

/* What one warp copies: bytes of a row at source, which go to the entries [first, end), from offset on. */
struct tl_scattered
{
    uint64_t source;
    uint64_t offset;
    uint32_t bytes;
    uint32_t plane;
    uint32_t first;
    uint32_t end;
};

TL_FN struct tl_team tl_team_of(
    const struct tl_place *place, const struct tl_scatter_rows_arguments *arguments)
{
    const uint32_t near_blocks = arguments->near_blocks;
    const int is_near = place->block < near_blocks;
    struct tl_team team;
    team.block = is_near ? place->block : place->block - near_blocks;
    team.blocks = is_near ? near_blocks : place->blocks - near_blocks;
    team.excluded = 0 == near_blocks ? 0 : is_near ? ~arguments->near : arguments->near;
    return team;
}

TL_FN struct tl_region tl_target_region(
    const struct tl_place *place, const struct tl_scatter_rows_arguments *arguments, const uint32_t number,
    const uint32_t plane)
{
    if (0 == arguments->targets)
    {
        return arguments->target[number % TL_INLINE_REGIONS].plane[plane];
    }

    const struct tl_vector v = tl_load16(place, arguments->targets + number * sizeof(struct tl_target) +
        plane * sizeof(struct tl_region));
    struct tl_region region;
    region.base = tl_low8(v);
    region.stride = tl_high8(v);
    return region;
}

/* 0 for a region of the other team. */
TL_FN uint64_t tl_read_copy(
    const struct tl_place *place, const struct tl_scatter_rows_arguments *arguments, const struct tl_team *team,
    const struct tl_table_entry entry, const uint32_t plane)
{
    const uint32_t number = entry.mark & TL_REGION_MASK;
    if (0 != team->excluded && 0 != (team->excluded >> number % TL_INLINE_REGIONS & 1))
    {
        return 0;
    }

    const struct tl_region region = tl_target_region(place, arguments, number, plane);
    return region.base + entry.row * region.stride;
}

/* A phase, after the rows are there. */
TL_FN void tl_fetch_copies(
    const struct tl_place *place, struct tl_scatter_shared *shared, const struct tl_scatter_rows_arguments *arguments,
    const struct tl_team *team, struct tl_batch *batch)
{
    tl_set_entries(batch, shared->row, TL_COPIES_AT_ONCE);
    for (uint32_t i = batch->first_entry + place->thread; i < batch->end_entry; i += place->threads)
    {
        const struct tl_table_entry entry = tl_read_entry(place, arguments->entries, i);
        TL_UNROLL
        for (uint32_t plane = 0; plane < TL_PLANES; plane++)
        {
            shared->copy[i - batch->first_entry].address[plane] = tl_read_copy(place, arguments, team, entry, plane);
        }
    }
}

/* Where an entry's row begins; a table with very many entries is read beyond the bus. */
TL_FN uint64_t tl_copy_of(
    const struct tl_place *place, const struct tl_scatter_shared *shared,
    const struct tl_scatter_rows_arguments *arguments, const struct tl_team *team, const struct tl_batch *batch,
    const uint32_t entry, const uint32_t plane)
{
    return entry < batch->end_entry ? shared->copy[entry - batch->first_entry].address[plane] :
        tl_read_copy(place, arguments, team, tl_read_entry(place, arguments->entries, entry), plane);
}

/* By one warp: vectors of an aligned source; all of TL_VECTORS a lane unless is_some. */
TL_FN void tl_scatter_vectors(
    const struct tl_place *place, const struct tl_scatter_shared *shared,
    const struct tl_scatter_rows_arguments *arguments, const struct tl_team *team, const struct tl_batch *batch,
    const struct tl_scattered *scattered, const int is_some)
{
    const uint32_t lane = tl_lane(place);
    const uint32_t vectors = scattered->bytes / 16;
    struct tl_vector v[TL_VECTORS];
    TL_UNROLL
    for (uint32_t u = 0; u < TL_VECTORS; u++)
    {
        if (!is_some || lane + u * TL_WARP < vectors)
        {
            v[u] = tl_load16_constant(place, scattered->source + (lane + u * TL_WARP) * 16);
        }
    }

    TL_NO_UNROLL
    for (uint32_t entry = scattered->first; entry < scattered->end; entry++)
    {
        const uint64_t row = tl_copy_of(place, shared, arguments, team, batch, entry, scattered->plane);
        if (0 == row)
        {
            continue;
        }

        const uint64_t target = row + scattered->offset;
        uint32_t copied = 0;
        if (0 == target % 16)
        {
            copied = vectors * 16;
            TL_UNROLL
            for (uint32_t u = 0; u < TL_VECTORS; u++)
            {
                if (!is_some || lane + u * TL_WARP < vectors)
                {
                    tl_store16(place, target + (lane + u * TL_WARP) * 16, v[u]);
                }
            }
        }

        if (copied < scattered->bytes)
        {
            tl_copy_words(place, target + copied, scattered->source + copied, scattered->bytes - copied);
        }
    }
}

/* By one warp: at most TL_SEGMENT bytes, to all places. */
TL_FN void tl_scatter_segment(
    const struct tl_place *place, const struct tl_scatter_shared *shared,
    const struct tl_scatter_rows_arguments *arguments, const struct tl_team *team, const struct tl_batch *batch,
    const struct tl_scattered *scattered)
{
    if (0 != scattered->source % 16)
    {
        TL_NO_UNROLL
        for (uint32_t entry = scattered->first; entry < scattered->end; entry++)
        {
            const uint64_t row = tl_copy_of(place, shared, arguments, team, batch, entry, scattered->plane);
            if (0 != row)
            {
                tl_copy_words(place, row + scattered->offset, scattered->source, scattered->bytes);
            }
        }
    }
    else if (TL_SEGMENT == scattered->bytes)
    {
        tl_scatter_vectors(place, shared, arguments, team, batch, scattered, 0);
    }
    else
    {
        tl_scatter_vectors(place, shared, arguments, team, batch, scattered, 1);
    }
}

/* A phase: units [first, end), of the rows that are fetched. */
TL_FN void tl_scatter_units(
    const struct tl_place *place, const struct tl_scatter_shared *shared,
    const struct tl_scatter_rows_arguments *arguments, const struct tl_team *team, const struct tl_batch *batch,
    const uint64_t first, const uint64_t end)
{
    const uint32_t segments = tl_segments(arguments->plane[0].row_length);
    const uint32_t units = segments + tl_segments(arguments->plane[1].row_length);
    const uint64_t base = batch->first_row * units;
    const uint32_t last = (uint32_t)(end - base);
    TL_NO_UNROLL
    for (uint32_t u = (uint32_t)(first - base) + tl_warp(place); u < last; u += tl_warps(place))
    {
        const struct tl_table_row *const row = &shared->row[u / units];
        const uint32_t unit = u % units;
        struct tl_scattered scattered;
        scattered.plane = unit < segments ? 0 : 1;
        const struct tl_plane *const plane = &arguments->plane[scattered.plane];
        scattered.offset = (uint64_t)(unit < segments ? unit : unit - segments) * TL_SEGMENT;
        const uint64_t left = plane->row_length - scattered.offset;
        scattered.bytes = (uint32_t)tl_least(left, TL_SEGMENT);
        scattered.source = plane->source.base + row[0].row * plane->source.stride + scattered.offset;
        scattered.first = row[0].first;
        scattered.end = row[1].first;
        TL_NO_UNROLL
        while (scattered.first < scattered.end &&
            0 == tl_copy_of(place, shared, arguments, team, batch, scattered.first, scattered.plane))
        {
            scattered.first++;
        }

        if (scattered.first < scattered.end)
        {
            tl_scatter_segment(place, shared, arguments, team, batch, &scattered);
        }
    }
}

TL_FN void tl_scatter_rows_block(
    struct tl_place *place, struct tl_scatter_shared *shared, const struct tl_scatter_rows_arguments *arguments)
{
    const uint32_t units = tl_segments(arguments->plane[0].row_length) + tl_segments(arguments->plane[1].row_length);
    const uint64_t all = arguments->count * units;
    const struct tl_team team = tl_team_of(place, arguments);
    const uint64_t begin = tl_first_unit(all, team.block, team.blocks);
    const uint64_t end = tl_first_unit(all, team.block + 1, team.blocks);
    struct tl_batch batch;

    TL_NO_UNROLL
    for (uint64_t at = begin; at < end;)
    {
        batch.first_row = at / units;
        const uint64_t most = (batch.first_row + TL_SCATTERED_AT_ONCE) * units;
        const uint64_t until = tl_least(most, end);
        batch.end_row = (until + units - 1) / units;
        TL_EACH_THREAD(place)
        {
            tl_fetch_table_rows(place, shared->row, arguments->rows, &batch);
        }

        TL_MEET();
        TL_EACH_THREAD(place)
        {
            tl_fetch_copies(place, shared, arguments, &team, &batch);
        }

        TL_MEET();
        TL_EACH_THREAD(place)
        {
            tl_scatter_units(place, shared, arguments, &team, &batch, at, until);
        }

        TL_MEET();
        at = until;
    }

    tl_complete(place, &arguments->completion);
}

#endif
