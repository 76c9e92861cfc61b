/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */

/*
 * Bytes from one place to another. The unit of work is a segment of a row, which one warp moves with all its loads in
 * flight before the first store: the fewest warps then keep a link busy. Segments, not rows, are shared among blocks.
 */

#ifndef TL_COPY_CUH
#define TL_COPY_CUH

#include "tl_arguments.cuh"

enum
{
    TL_VECTORS = 7,
    TL_SEGMENT = TL_VECTORS * TL_WARP * 16,
    TL_ROWS_AT_ONCE = 1024
};

/* An entry of a RowList. */
struct tl_row
{
    uint64_t source;
    uint64_t target;
};

/* What is done with rows; sources that are constant are written by nobody while the kernel runs. */
enum
{
    TL_ZERO,
    TL_COPY,
    TL_COPY_CONSTANT
};

struct tl_rows_shared
{
    struct tl_row row[TL_ROWS_AT_ONCE];
};

TL_FN uint32_t tl_segments(const uint64_t bytes)
{
    return (uint32_t)((bytes + TL_SEGMENT - 1) / TL_SEGMENT);
}

/* A phase: entries [first, end) of a list, read coalesced, since a list lies beyond the bus. */
TL_FN void tl_fetch_rows(
    const struct tl_place *place, struct tl_rows_shared *shared, const uint64_t entries, const uint64_t first,
    const uint64_t end)
{
    for (uint64_t i = first + place->thread; i < end; i += place->threads)
    {
        const struct tl_vector entry = tl_load16(place, entries + i * sizeof(struct tl_row));
        shared->row[i - first].source = tl_low8(entry);
        shared->row[i - first].target = tl_high8(entry);
    }
}

/* By one warp: words of 8 bytes that are aligned at the source are read whole (rule LOAD-2), the rest bytewise. */
TL_FN void tl_copy_words(
    const struct tl_place *place, const uint64_t target, const uint64_t source, const uint32_t bytes)
{
    const uint32_t lane = tl_lane(place);
    const uint32_t unaligned = (uint32_t)(-source & 7);
    const uint32_t head = (uint32_t)tl_least(unaligned, bytes);
    const uint32_t words = (bytes - head) / 8;
    const uint32_t tail = head + words * 8;

    for (uint32_t i = lane; i < words; i += TL_WARP)
    {
        const uint64_t value = tl_load8(place, source + head + i * 8);
        const uint64_t at = target + head + i * 8;
        tl_store8_anywhere(place, at, value);
    }

    if (lane < head)
    {
        tl_store1(place, target + lane, tl_load1(place, source + lane));
    }

    if (lane < bytes - tail)
    {
        tl_store1(place, target + tail + lane, tl_load1(place, source + tail + lane));
    }
}

/* By one warp: vectors of 16 bytes, at most TL_VECTORS a lane; all of them unless is_some. */
TL_FN void tl_copy_vectors(
    const struct tl_place *place, const uint64_t target, const uint64_t source, const uint32_t vectors,
    const int is_some, const int is_constant)
{
    const uint32_t lane = tl_lane(place);
    struct tl_vector v[TL_VECTORS];
    TL_UNROLL
    for (uint32_t u = 0; u < TL_VECTORS; u++)
    {
        if (!is_some || lane + u * TL_WARP < vectors)
        {
            const uint64_t at = source + (lane + u * TL_WARP) * 16;
            v[u] = is_constant ? tl_load16_constant(place, at) : tl_load16(place, at);
        }
    }

    TL_UNROLL
    for (uint32_t u = 0; u < TL_VECTORS; u++)
    {
        if (!is_some || lane + u * TL_WARP < vectors)
        {
            tl_store16(place, target + (lane + u * TL_WARP) * 16, v[u]);
        }
    }
}

/* By one warp: at most TL_SEGMENT bytes; constant ones are not written by anybody meanwhile. */
TL_FN void tl_copy_segment(
    const struct tl_place *place, const uint64_t target, const uint64_t source, const uint32_t bytes,
    const int is_constant)
{
    uint32_t copied = 0;
    if (0 == (target | source) % 16)
    {
        copied = bytes / 16 * 16;
        if (TL_SEGMENT == bytes)
        {
            tl_copy_vectors(place, target, source, TL_SEGMENT / 16, 0, is_constant);
        }
        else
        {
            tl_copy_vectors(place, target, source, bytes / 16, 1, is_constant);
        }
    }

    if (copied < bytes)
    {
        tl_copy_words(place, target + copied, source + copied, bytes - copied);
    }
}

/* By one warp: zeros, at most TL_SEGMENT bytes. */
TL_FN void tl_zero_segment(const struct tl_place *place, const uint64_t target, const uint32_t bytes)
{
    const struct tl_vector zero = {{0, 0, 0, 0}};
    const uint32_t vectors = 0 == target % 16 ? bytes / 16 : 0;
    for (uint32_t i = tl_lane(place); i < vectors; i += TL_WARP)
    {
        tl_store16(place, target + i * 16, zero);
    }

    for (uint32_t i = vectors * 16 + tl_lane(place); i < bytes; i += TL_WARP)
    {
        tl_store1(place, target + i, 0);
    }
}

/* By one warp: a unit, which is a segment of one of the rows. */
TL_FN void tl_move_unit(
    const struct tl_place *place, const struct tl_row *rows, const uint64_t source, const uint64_t target,
    const uint64_t row_length, const uint32_t unit, const int what)
{
    const uint32_t segments = tl_segments(row_length);
    const uint32_t row = unit / segments;
    const uint64_t at = (uint64_t)(unit - row * segments) * TL_SEGMENT;
    const uint64_t left = row_length - at;
    const uint32_t bytes = (uint32_t)tl_least(left, TL_SEGMENT);
    if (TL_ZERO != what)
    {
        tl_copy_segment(place, target + rows[row].target + at, source + rows[row].source + at, bytes,
            TL_COPY_CONSTANT == what);
    }
    else
    {
        tl_zero_segment(place, target + rows[row].target + at, bytes);
    }
}

/* A phase: what lies in [first, end) of the units, of the rows from base on, which are fetched. */
TL_FN void tl_move_rows(
    const struct tl_place *place, const struct tl_rows_shared *shared, const uint64_t source, const uint64_t target,
    const uint64_t row_length, const uint64_t base, const uint64_t first, const uint64_t end, const int what)
{
    const uint32_t segments = tl_segments(row_length);
    const uint32_t last = (uint32_t)(end - base * segments);
    for (uint32_t u = (uint32_t)(first - base * segments) + tl_warp(place); u < last; u += tl_warps(place))
    {
        tl_move_unit(place, shared->row, source, target, row_length, u, what);
    }
}

TL_FN void tl_rows_block(
    struct tl_place *place, struct tl_rows_shared *shared, const uint64_t entries, const uint64_t count,
    const uint64_t row_length, const uint64_t source, const uint64_t target, const int what)
{
    const uint32_t segments = tl_segments(row_length);
    const uint64_t units = count * segments;
    const uint64_t begin = tl_first_unit(units, place->block, place->blocks);
    const uint64_t end = tl_first_unit(units, place->block + 1, place->blocks);

    TL_NO_UNROLL
    for (uint64_t at = begin; at < end;)
    {
        const uint64_t base = at / segments;
        const uint64_t most = (base + TL_ROWS_AT_ONCE) * segments;
        const uint64_t until = tl_least(most, end);
        TL_EACH_THREAD(place)
        {
            tl_fetch_rows(place, shared, entries, base, (until + segments - 1) / segments);
        }

        TL_MEET();
        TL_EACH_THREAD(place)
        {
            tl_move_rows(place, shared, source, target, row_length, base, at, until, what);
        }

        TL_MEET();
        at = until;
    }
}

TL_FN void tl_put_rows_block(
    struct tl_place *place, struct tl_rows_shared *shared, const struct tl_put_rows_arguments *arguments)
{
    tl_rows_block(place, shared, arguments->entries, arguments->count, arguments->row_length, arguments->source,
        arguments->target, TL_COPY_CONSTANT);
    tl_complete(place, &arguments->completion);
}

/* What a block does of a part: units of rows, whose entries begin there; the first is that row's segment first. */
struct tl_share
{
    uint64_t entries;
    uint32_t rows;
    uint32_t first;
    uint32_t units;
};

struct tl_parts_shared
{
    struct tl_rows_shared rows;
    struct tl_share share[TL_MOST_PARTS];
};

/* A phase: a thread for each part. */
TL_FN void tl_share_parts(
    const struct tl_place *place, struct tl_parts_shared *shared, const struct tl_put_rows_parts_arguments *arguments)
{
    for (uint32_t p = place->thread; p < arguments->parts; p += place->threads)
    {
        const uint32_t segments = tl_segments(arguments->part[p].row_length);
        const uint64_t units = arguments->part[p].count * segments;
        const uint64_t begin = tl_first_unit(units, place->block, place->blocks);
        const uint64_t end = tl_first_unit(units, place->block + 1, place->blocks);
        const uint64_t base = begin / segments;
        struct tl_share *share = &shared->share[p];
        share->entries = arguments->part[p].entries + base * sizeof(struct tl_row);
        share->rows = begin == end ? 0 : (uint32_t)((end + segments - 1) / segments - base);
        share->first = (uint32_t)(begin - base * segments);
        share->units = (uint32_t)(end - begin);
    }
}

/* Where the entry of a row is, counted through the parts. */
TL_FN uint64_t tl_entry_of(const struct tl_parts_shared *shared, const uint32_t row)
{
    uint32_t p = 0;
    uint32_t left = row;
    TL_NO_UNROLL
    for (; left >= shared->share[p].rows; p++)
    {
        left -= shared->share[p].rows;
    }

    return shared->share[p].entries + left * sizeof(struct tl_row);
}

/*
 * A phase: a thread for each row of all parts. It looks for the entry first and loads it then, so that the entries of
 * all parts cross the bus at once: threads of one warp that loaded within the search would wait for each other.
 */
TL_FN void tl_fetch_parts(const struct tl_place *place, struct tl_parts_shared *shared, const uint32_t rows)
{
    TL_NO_UNROLL
    for (uint32_t i = place->thread; i < rows; i += place->threads)
    {
        const struct tl_vector entry = tl_load16(place, tl_entry_of(shared, i));
        shared->rows.row[i].source = tl_low8(entry);
        shared->rows.row[i].target = tl_high8(entry);
    }
}

/* A phase: warps take the units of all parts in turn. */
TL_FN void tl_move_parts(
    const struct tl_place *place, const struct tl_parts_shared *shared,
    const struct tl_put_rows_parts_arguments *arguments, const int what)
{
    uint32_t next = tl_warp(place);
    const struct tl_row *row = shared->rows.row;
    TL_NO_UNROLL
    for (uint32_t p = 0; p < arguments->parts; p++)
    {
        const struct tl_part *part = &arguments->part[p];
        const struct tl_share *share = &shared->share[p];
        TL_NO_UNROLL
        for (; next < share->units; next += tl_warps(place))
        {
            tl_move_unit(place, row, part->source, part->target, part->row_length, share->first + next, what);
        }

        next -= share->units;
        row += share->rows;
    }
}

/* Rows of a block, of all parts. */
TL_FN uint64_t tl_rows_of_parts(const struct tl_parts_shared *shared, const uint64_t parts)
{
    uint64_t rows = 0;
    TL_NO_UNROLL
    for (uint32_t p = 0; p < parts; p++)
    {
        rows += shared->share[p].rows;
    }

    return rows;
}

/* All parts, one by one. */
TL_FN void tl_move_parts_in_turn(
    struct tl_place *place, struct tl_parts_shared *shared, const struct tl_put_rows_parts_arguments *arguments,
    const int what)
{
    TL_NO_UNROLL
    for (uint32_t p = 0; p < arguments->parts; p++)
    {
        const struct tl_part *part = &arguments->part[p];
        tl_rows_block(place, &shared->rows, part->entries, part->count, part->row_length, part->source, part->target,
            what);
    }
}

/* All parts at once where there is room for the block's rows of all of them, else one by one. */
TL_FN void tl_put_rows_parts_block(
    struct tl_place *place, struct tl_parts_shared *shared, const struct tl_put_rows_parts_arguments *arguments)
{
    TL_EACH_THREAD(place)
    {
        tl_share_parts(place, shared, arguments);
    }

    TL_MEET();
    const uint64_t rows = tl_rows_of_parts(shared, arguments->parts);
    if (rows <= TL_ROWS_AT_ONCE)
    {
        TL_EACH_THREAD(place)
        {
            tl_fetch_parts(place, shared, (uint32_t)rows);
        }

        TL_MEET();
        TL_EACH_THREAD(place)
        {
            tl_move_parts(place, shared, arguments, TL_COPY_CONSTANT);
        }
    }
    else
    {
        tl_move_parts_in_turn(place, shared, arguments, TL_COPY_CONSTANT);
    }

    tl_complete(place, &arguments->completion);
}

TL_FN void tl_zero_rows_block(
    struct tl_place *place, struct tl_rows_shared *shared, const struct tl_zero_rows_arguments *arguments)
{
    tl_rows_block(place, shared, arguments->entries, arguments->count, arguments->row_length, 0, arguments->target,
        TL_ZERO);
    tl_complete(place, &arguments->completion);
}

/* Segments end at multiples of 16 bytes of the source, so that none cuts an aligned word. */
TL_FN void tl_put_bytes(struct tl_place *place, const uint64_t target, const uint64_t source, const uint64_t bytes)
{
    const uint64_t shift = source % 16;
    const uint64_t end = shift + bytes;
    const uint64_t units = 0 == bytes ? 0 : (end + TL_SEGMENT - 1) / TL_SEGMENT;
    TL_EACH_THREAD(place)
    {
        for (uint64_t u = place->block + (uint64_t)tl_warp(place) * place->blocks; u < units;
            u += (uint64_t)tl_warps(place) * place->blocks)
        {
            const uint64_t from = 0 == u ? shift : u * TL_SEGMENT;
            const uint64_t to = tl_least((u + 1) * TL_SEGMENT, end);
            tl_copy_segment(place, target + from - shift, source + from - shift, (uint32_t)(to - from), 0);
        }
    }
}

TL_FN void tl_put_block(struct tl_place *place, const struct tl_put_arguments *arguments)
{
    tl_put_bytes(place, arguments->target, arguments->source, arguments->bytes);
    tl_complete(place, &arguments->completion);
}

TL_FN void tl_add64_block(struct tl_place *place, const struct tl_add64_arguments *arguments)
{
    TL_EACH_THREAD(place)
    {
        if (0 == place->block && 0 == place->thread)
        {
            tl_add8(place, arguments->word, arguments->delta);
        }
    }

    tl_complete(place, &arguments->completion);
}

#endif
