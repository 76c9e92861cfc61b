/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */

/*
 * Rows of steps, to all of their places. The unit of work is 16 bytes of a row: a thread reads it once, casts it if
 * need be, and stores it to each place. The first units of a block are read before it is known where they go.
 */

#ifndef TL_STEP_ROWS_CUH
#define TL_STEP_ROWS_CUH

#include "tl_cast.cuh"
#include "tl_step_state.cuh"

enum
{
    TL_AHEAD = 4,
    TL_CASTS_AHEAD = 2,
    TL_CAST_LANES = 8
};

/* Rows of a batch. base is 0 where shared memory says where each of them is. */
struct tl_step_rows
{
    uint64_t base;
    uint64_t stride;
    uint32_t count;
    /* Units of a row. */
    uint32_t units;
    int is_cast;
    int is_power_of_two;
};

/* Units of a thread that are read ahead at most. */
TL_FN uint32_t tl_most_ahead(const struct tl_step_rows *rows)
{
    return rows->is_cast ? TL_CASTS_AHEAD : TL_AHEAD;
}

TL_FN uint64_t tl_row_source(
    const struct tl_step_shared *shared, const struct tl_step_rows *rows, const uint32_t row)
{
    return 0 == rows->base ? shared->parts.batch.row[row].source : rows->base + row * rows->stride;
}

/* Bits of the largest magnitude of a group, of which a lane holds 16 elements. */
TL_FN uint32_t tl_wide_group_magnitude(
    const struct tl_place *place, const uint64_t source, const uint32_t unit, const uint32_t own)
{
    uint32_t largest = own;
#ifdef __CUDA_ARCH__
    TL_UNROLL
    for (uint32_t i = TL_CAST_LANES / 2; i > 0; i /= 2)
    {
        const uint32_t other = __shfl_xor_sync(0xFFFFFFFFu, largest, i);
        largest = largest > other ? largest : other;
    }
#else
    largest = tl_group_magnitude(place, source, 2 * unit, own);
#endif
    return largest;
}

/* Elements of a unit: 8, or 16 that are cast. */
struct tl_step_elements
{
    struct tl_vector low;
    struct tl_vector high;
};

/* Units of a thread that are read ahead; a host reads them when they are stored. */
struct tl_step_ahead
{
    struct tl_step_elements unit[TL_AHEAD];
};

TL_FN struct tl_step_elements tl_read_elements(
    const struct tl_place *place, const struct tl_step_shared *shared, const struct tl_step_rows *rows,
    const uint32_t row, const uint32_t unit)
{
    struct tl_step_elements elements = {{{0, 0, 0, 0}}, {{0, 0, 0, 0}}};
    const uint64_t source = tl_row_source(shared, rows, row) + (uint64_t)unit * (rows->is_cast ? 32 : 16);
    elements.low = tl_load16(place, source);
    if (rows->is_cast)
    {
        elements.high = tl_load16(place, source + 16);
    }

    return elements;
}

/* Elements as 16 codes; the scale of their group goes to shared memory. By all threads of a warp, there or not. */
TL_FN struct tl_vector tl_cast_unit(
    const struct tl_place *place, struct tl_step_shared *shared, const struct tl_step_rows *rows, const uint32_t row,
    const uint32_t unit, const struct tl_step_elements *elements, const int is_there)
{
    struct tl_vector codes = {{0, 0, 0, 0}};
    const uint32_t one = tl_magnitude(elements->low);
    const uint32_t other = tl_magnitude(elements->high);
    uint32_t magnitude = one > other ? one : other;
#ifdef __CUDA_ARCH__
    magnitude = tl_wide_group_magnitude(place, 0, unit, magnitude);
#else
    magnitude = is_there ?
        tl_wide_group_magnitude(place, tl_row_source(shared, rows, row), unit, magnitude) : 0;
#endif
    if (is_there)
    {
        float factor;
        const float scale = tl_scale(magnitude, rows->is_power_of_two, &factor);
        const uint64_t first = tl_quantized(elements->low, magnitude, factor);
        const uint64_t second = tl_quantized(elements->high, magnitude, factor);
        codes.word[0] = (uint32_t)first;
        codes.word[1] = (uint32_t)(first >> 32);
        codes.word[2] = (uint32_t)second;
        codes.word[3] = (uint32_t)(second >> 32);
        if (0 == unit % TL_CAST_LANES)
        {
            shared->scale[row * (rows->units / TL_CAST_LANES) + unit / TL_CAST_LANES] = scale;
        }
    }

    return codes;
}

/* By all threads of a warp. */
TL_FN struct tl_vector tl_read_unit(
    const struct tl_place *place, struct tl_step_shared *shared, const struct tl_step_rows *rows, const uint32_t row,
    const uint32_t unit, const int is_there)
{
    struct tl_step_elements elements = {{{0, 0, 0, 0}}, {{0, 0, 0, 0}}};
    if (is_there)
    {
        elements = tl_read_elements(place, shared, rows, row, unit);
    }

    return rows->is_cast ? tl_cast_unit(place, shared, rows, row, unit, &elements, is_there) : elements.low;
}

#ifdef __CUDA_ARCH__
/* A phase, ahead of the one that finds out where rows go. */
TL_FN void tl_read_ahead(
    const struct tl_place *place, const struct tl_step_shared *shared, const struct tl_step_rows *rows,
    struct tl_step_ahead *ahead)
{
    TL_UNROLL
    for (uint32_t i = 0; i < tl_most_ahead(rows); i++)
    {
        const uint32_t at = place->thread + i * place->threads;
        if (at < rows->count * rows->units)
        {
            ahead->unit[i] = tl_read_elements(place, shared, rows, at / rows->units, at % rows->units);
        }
    }
}

/* A phase: what has been read ahead, as it will be stored. */
TL_FN void tl_cast_ahead(
    const struct tl_place *place, struct tl_step_shared *shared, const struct tl_step_rows *rows,
    struct tl_step_ahead *ahead)
{
    const uint32_t all = rows->count * rows->units;
    TL_UNROLL
    for (uint32_t i = 0; i < TL_CASTS_AHEAD; i++)
    {
        const uint32_t at = place->thread + i * place->threads;
        if (rows->is_cast && at - tl_lane(place) < all)
        {
            ahead->unit[i].low = tl_cast_unit(
                place, shared, rows, at / rows->units, at % rows->units, &ahead->unit[i], at < all);
        }
    }
}
#else
TL_FN void tl_read_ahead(
    const struct tl_place *, const struct tl_step_shared *, const struct tl_step_rows *, struct tl_step_ahead *)
{
}

TL_FN void tl_cast_ahead(
    const struct tl_place *, struct tl_step_shared *, const struct tl_step_rows *, struct tl_step_ahead *)
{
}
#endif

TL_FN void tl_spread_unit(
    const struct tl_place *place, const struct tl_step_shared *shared, const uint32_t row, const uint32_t unit,
    const struct tl_vector v)
{
    const uint32_t end = shared->parts.batch.row[row].end;
    TL_NO_UNROLL
    for (uint32_t i = shared->parts.batch.row[row].first; i < end; i++)
    {
        const uint64_t target = shared->parts.batch.target[i].row;
        if (0 != target)
        {
            tl_store16(place, target + (uint64_t)unit * 16, v);
        }
    }
}

#ifdef __CUDA_ARCH__
/* The first unit that was not read ahead, once those that were are stored. */
TL_FN uint32_t tl_spread_ahead(
    const struct tl_place *place, const struct tl_step_shared *shared, const struct tl_step_rows *rows,
    const struct tl_step_ahead *ahead)
{
    TL_UNROLL
    for (uint32_t i = 0; i < tl_most_ahead(rows); i++)
    {
        const uint32_t at = place->thread + i * place->threads;
        if (at < rows->count * rows->units)
        {
            tl_spread_unit(place, shared, at / rows->units, at % rows->units, ahead->unit[i].low);
        }
    }

    return place->thread + tl_most_ahead(rows) * place->threads;
}
#else
TL_FN uint32_t tl_spread_ahead(
    const struct tl_place *place, const struct tl_step_shared *, const struct tl_step_rows *,
    const struct tl_step_ahead *)
{
    return place->thread;
}
#endif

/* A phase: units of all rows, the first of which may have been read ahead. */
TL_FN void tl_spread_rows(
    const struct tl_place *place, struct tl_step_shared *shared, const struct tl_step_rows *rows,
    const struct tl_step_ahead *ahead, const int is_ahead)
{
    const uint32_t all = rows->count * rows->units;
    TL_NO_UNROLL
    for (uint32_t at = is_ahead ? tl_spread_ahead(place, shared, rows, ahead) : place->thread;
        at - tl_lane(place) < all; at += place->threads)
    {
        const struct tl_vector v =
            tl_read_unit(place, shared, rows, at / rows->units, at % rows->units, at < all);
        if (at < all)
        {
            tl_spread_unit(place, shared, at / rows->units, at % rows->units, v);
        }
    }
}

/* A word of a row's scales, as an output has it: F32, or the exponents of four, which are powers of two. */
TL_FN uint32_t tl_scale_word(
    const struct tl_step_shared *shared, const uint32_t first, const uint32_t groups, const uint32_t word,
    const int is_packed)
{
    if (!is_packed)
    {
        return tl_bits(shared->scale[first + word]);
    }

    uint32_t packed = 0;
    for (uint32_t i = 0; i < 4 && 4 * word + i < groups; i++)
    {
        packed |= (tl_bits(shared->scale[first + 4 * word + i]) >> 23 & 0xFF) << 8 * i;
    }

    return packed;
}

/* A phase, once the scales of all rows are in shared memory: a warp for each place. */
TL_FN void tl_spread_scales(
    const struct tl_place *place, const struct tl_step_shared *shared, const uint32_t targets, const uint32_t groups,
    const int is_packed)
{
    const uint32_t words = is_packed ? (groups + 3) / 4 : groups;
    for (uint32_t i = tl_warp(place); i < targets; i += tl_warps(place))
    {
        const struct tl_step_target *const target = &shared->parts.batch.target[i];
        if (0 != target->row)
        {
            for (uint32_t word = tl_lane(place); word < words; word += TL_WARP)
            {
                tl_store4(place, target->scales + (uint64_t)word * target->scale_stride,
                    tl_scale_word(shared, target->index * groups, groups, word, is_packed));
            }
        }
    }
}

/* A phase: which token each row is. */
TL_FN void tl_spread_info(
    const struct tl_place *place, const struct tl_step_shared *shared, const uint32_t targets)
{
    for (uint32_t i = place->thread; i < targets; i += place->threads)
    {
        const struct tl_step_target *const target = &shared->parts.batch.target[i];
        if (0 != target->row && 0 != target->info)
        {
            tl_store4(place, target->info, target->token);
        }
    }
}

/* A batch whose rows and targets are in shared memory; scales of rows that were read ahead are, too. */
TL_FN void tl_spread_batch(
    struct tl_place *place, struct tl_step_shared *shared, const struct tl_step_rows *rows,
    const struct tl_step_ahead *ahead, const int is_ahead, const uint32_t targets, const uint32_t groups,
    const int is_packed)
{
    TL_EACH_THREAD(place)
    {
        tl_spread_info(place, shared, targets);
        tl_spread_rows(place, shared, rows, ahead, is_ahead);
    }

    if (0 != groups)
    {
        if (!is_ahead || rows->count * rows->units > tl_most_ahead(rows) * place->threads)
        {
            TL_MEET();
        }

        TL_EACH_THREAD(place)
        {
            tl_spread_scales(place, shared, targets, groups, is_packed);
        }
    }

    TL_MEET();
}

#endif
