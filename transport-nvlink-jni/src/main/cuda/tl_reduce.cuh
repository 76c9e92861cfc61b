/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */

/*
 * Sums of rows, as dev.transload.kernels.Reduction states them. Summands may lie at a peer, so that latency must be
 * hidden: a unit is 1024 elements of one sum, by one warp. A row of the table and its summands are a group. A plain
 * group has at most 8 summands, biases among them, all BF16 and aligned to 16 bytes, and no parts: 8 vectors a lane are
 * in flight before the first addition. A parted group is the same with parts. Weights of 1 stand for no weight, and
 * biases are summands of weight 1: fma(1, x, acc) has the bits of acc + x.
 */

#ifndef TL_REDUCE_CUH
#define TL_REDUCE_CUH

#include "tl_arguments.cuh"
#include "tl_formats.cuh"
#include "tl_table.cuh"

enum
{
    TL_SUM_VECTORS = 4,
    TL_SUM_UNIT = TL_SUM_VECTORS * TL_WARP,
    TL_PLAIN_SUMMANDS = 8,
    TL_ANY_IN_FLIGHT = 4,
    TL_GROUPS_AT_ONCE = 256,
    TL_SOURCES_AT_ONCE = 2048,
    TL_SOURCE_F32 = 1,
    TL_SOURCE_BEGINS_PART = 2
};

/* What a kernel takes: tables whose groups are all plain, all plain or parted, or any. */
enum
{
    TL_SUMS_ANY,
    TL_SUMS_PLAIN,
    TL_SUMS_PARTED
};

/* A row to be added. */
struct tl_summand
{
    uint64_t address;
    float weight;
    uint32_t flags;
};

/* Biases are the first summands, then come the sources from first on. */
struct tl_group
{
    uint64_t target;
    uint64_t bias[2];
    uint32_t first;
    uint32_t count;
};

struct tl_reduce_shared
{
    struct tl_table_row row[TL_GROUPS_AT_ONCE + 1];
    struct tl_summand source[TL_SOURCES_AT_ONCE];
};

TL_FN uint32_t tl_biases(const struct tl_reduce_rows_arguments *arguments)
{
    return (0 != arguments->bias0) + (0 != arguments->bias1);
}

/* The group of a row in shared memory, with addresses instead of numbers. */
TL_FN struct tl_group tl_group_of(
    const struct tl_reduce_rows_arguments *arguments, const struct tl_table_row *row)
{
    struct tl_group group;
    group.target = arguments->target.base + row[0].row * arguments->target.stride;
    group.bias[0] = arguments->bias0 + row[0].row * arguments->bias_stride;
    group.bias[1] = arguments->bias1 + row[0].row * arguments->bias_stride;
    group.first = row[0].first;
    group.count = row[1].first - row[0].first;
    return group;
}

TL_FN struct tl_summand tl_read_source(
    const struct tl_place *place, const struct tl_reduce_rows_arguments *arguments, const uint32_t index)
{
    const struct tl_table_entry entry = tl_read_entry(place, arguments->entries, index);
    const uint32_t number = entry.mark & TL_REGION_MASK;
    struct tl_summand summand;
    struct tl_region region;
    if (0 == arguments->regions)
    {
        region = arguments->region[number % TL_INLINE_REGIONS];
    }
    else
    {
        const struct tl_vector v = tl_load16(place, arguments->regions + number * sizeof(struct tl_region));
        region.base = tl_low8(v);
        region.stride = tl_high8(v);
    }

    summand.address = region.base + entry.row * (region.stride & ~TL_STRIDE_F32);
    summand.weight = arguments->flags & TL_WEIGHTED
        ? tl_f32(tl_load4(place, arguments->weights + (uint64_t)index * TL_WEIGHT_STRIDE)) : 1.0f;
    summand.flags = (region.stride & TL_STRIDE_F32 ? TL_SOURCE_F32 : 0) |
        (entry.mark > TL_REGION_MASK ? TL_SOURCE_BEGINS_PART : 0);
    return summand;
}

/* Summand k of a group, biases first; a table with very many entries is read beyond the bus. */
TL_FN struct tl_summand tl_summand_of(
    const struct tl_place *place, const struct tl_reduce_shared *shared,
    const struct tl_reduce_rows_arguments *arguments, const struct tl_batch *batch, const struct tl_group *group,
    const uint32_t k)
{
    const uint32_t biases = tl_biases(arguments);
    if (k < biases)
    {
        struct tl_summand bias;
        bias.address = group->bias[k];
        bias.weight = 1.0f;
        bias.flags = 0;
        return bias;
    }

    const uint32_t index = group->first + k - biases;
    return index < batch->end_entry
        ? shared->source[index - batch->first_entry] : tl_read_source(place, arguments, index);
}

/* 8 elements, as two vectors if they are F32; or one element, the first. */
struct tl_raw
{
    struct tl_vector low;
    struct tl_vector high;
};

/* The elements of an index, where each has 8; or one, at any address. */
TL_FN void tl_load_elements(
    const struct tl_place *place, struct tl_raw *raw, const struct tl_summand summand, const uint32_t index,
    const int is_aligned)
{
    const int is_f32 = 0 != (summand.flags & TL_SOURCE_F32);
    if (!is_aligned)
    {
        const uint32_t bytes = is_f32 ? 4 : 2;
        raw->low.word[0] = (uint32_t)tl_load_bytes(place, summand.address + (uint64_t)index * bytes, bytes);
    }
    else if (is_f32)
    {
        raw->low = tl_load16(place, summand.address + (uint64_t)index * 32);
        raw->high = tl_load16(place, summand.address + (uint64_t)index * 32 + 16);
    }
    else
    {
        raw->low = tl_load16(place, summand.address + (uint64_t)index * 16);
    }
}

/* The elements of some words of a vector. */
TL_FN void tl_add_bf16(float *sum, const uint32_t *word, const uint32_t words, const float weight)
{
    TL_UNROLL
    for (uint32_t i = 0; i < words; i++)
    {
        sum[2 * i] = fmaf(weight, tl_bf16_first(word[i]), sum[2 * i]);
        sum[2 * i + 1] = fmaf(weight, tl_bf16_second(word[i]), sum[2 * i + 1]);
    }
}

TL_FN void tl_add_elements(
    float *sum, const struct tl_raw *raw, const struct tl_summand summand, const int is_aligned)
{
    const int is_f32 = 0 != (summand.flags & TL_SOURCE_F32);
    if (!is_aligned)
    {
        const uint32_t bits = raw->low.word[0];
        sum[0] = fmaf(summand.weight, is_f32 ? tl_f32(bits) : tl_bf16_first(bits), sum[0]);
    }
    else if (is_f32)
    {
        TL_UNROLL
        for (uint32_t i = 0; i < 4; i++)
        {
            sum[i] = fmaf(summand.weight, tl_f32(raw->low.word[i]), sum[i]);
            sum[4 + i] = fmaf(summand.weight, tl_f32(raw->high.word[i]), sum[4 + i]);
        }
    }
    else
    {
        tl_add_bf16(sum, raw->low.word, 4, summand.weight);
    }
}

TL_FN void tl_clear(float *sum)
{
    TL_UNROLL
    for (uint32_t i = 0; i < 8; i++)
    {
        sum[i] = 0.0f;
    }
}

TL_FN void tl_store_sum(
    const struct tl_place *place, const struct tl_reduce_rows_arguments *arguments, const uint64_t target,
    const uint32_t index, const float *sum, const int is_aligned)
{
    const int is_f32 = 0 != (arguments->flags & TL_TARGET_F32);
    if (!is_aligned)
    {
        const uint32_t bytes = is_f32 ? 4 : 2;
        const uint32_t bits = is_f32 ? tl_canonical(sum[0]) : tl_bf16_pair(sum[0], 0.0f);
        tl_store_bytes(place, target + (uint64_t)index * bytes, bits, bytes);
    }
    else if (is_f32)
    {
        TL_UNROLL
        for (uint32_t half = 0; half < 2; half++)
        {
            struct tl_vector v;
            TL_UNROLL
            for (uint32_t i = 0; i < 4; i++)
            {
                v.word[i] = tl_canonical(sum[4 * half + i]);
            }

            tl_store16(place, target + (uint64_t)index * 32 + 16 * half, v);
        }
    }
    else
    {
        struct tl_vector v;
        TL_UNROLL
        for (uint32_t i = 0; i < 4; i++)
        {
            v.word[i] = tl_bf16_pair(sum[2 * i], sum[2 * i + 1]);
        }

        tl_store16(place, target + (uint64_t)index * 16, v);
    }
}

/* Address of summand k of a plain or parted group, whose sources are all in shared memory. */
TL_FN uint64_t tl_plain_address(
    const struct tl_group *group, const struct tl_summand *sources, const uint32_t biases, const uint32_t k)
{
    return k < biases ? group->bias[k] : sources[k - biases].address;
}

/*
 * What was summed since the last part began goes into the group's sum, rounded if it was a part. Before the first part
 * it is the sum: adding it to zero could make a negative zero, a weighted product too small, positive.
 */
TL_FN void tl_end_part(
    const struct tl_reduce_rows_arguments *arguments, float *sum, float *part, const uint32_t elements,
    const int is_part)
{
    const int is_f32 = 0 != (arguments->flags & TL_PART_F32);
    TL_UNROLL
    for (uint32_t i = 0; i < elements; i += 2)
    {
        const uint32_t pair = tl_bf16_pair(part[i], part[i + 1]);
        const float first = is_f32 ? part[i] : tl_bf16_first(pair);
        const float second = is_f32 ? part[i + 1] : tl_bf16_second(pair);
        sum[i] = is_part ? sum[i] + first : part[i];
        sum[i + 1] = is_part ? sum[i + 1] + second : part[i + 1];
        part[i] = 0.0f;
        part[i + 1] = 0.0f;
    }
}

/*
 * Of a parted group: adds two words, from the given one on, of the vectors v[k * width]. All four at once would need
 * more registers than a thread has, since the sum of the part is there beside the whole sum.
 */
TL_FN void tl_add_parts(
    const struct tl_reduce_rows_arguments *arguments, float *sum, const struct tl_vector *v, const uint32_t width,
    const struct tl_summand *sources, const uint32_t biases, const uint32_t summands, const uint32_t most,
    const uint32_t word)
{
    float part[4] = {0.0f, 0.0f, 0.0f, 0.0f};
    int is_in_part = 0;
    TL_UNROLL
    for (uint32_t k = 0; k < most; k++)
    {
        if (k < summands)
        {
            if (k >= biases && sources[k - biases].flags & TL_SOURCE_BEGINS_PART)
            {
                tl_end_part(arguments, &sum[2 * word], part, 4, is_in_part);
                is_in_part = 1;
            }

            tl_add_bf16(part, &v[k * width].word[word], 2, k < biases ? 1.0f : sources[k - biases].weight);
        }
    }

    tl_end_part(arguments, &sum[2 * word], part, 4, is_in_part);
}

/*
 * By one warp, of a plain group, or a parted one, of at most most summands: vectors [from, end), width of them a lane
 * at a time.
 */
TL_FN void tl_sum_plain(
    const struct tl_place *place, const struct tl_reduce_shared *shared,
    const struct tl_reduce_rows_arguments *arguments, const struct tl_batch *batch, const struct tl_group *group,
    const uint32_t from, const uint32_t end, const uint32_t most, const uint32_t width, const int is_parted)
{
    const uint32_t biases = tl_biases(arguments);
    const uint32_t summands = biases + group->count;
    const struct tl_summand *const sources = &shared->source[group->first - batch->first_entry];
    TL_NO_UNROLL
    for (uint32_t at = from + tl_lane(place); at < end; at += width * TL_WARP)
    {
        struct tl_vector v[TL_PLAIN_SUMMANDS];
        TL_UNROLL
        for (uint32_t k = 0; k < most; k++)
        {
            if (k < summands)
            {
                const uint64_t address = tl_plain_address(group, sources, biases, k) + (uint64_t)at * 16;
                TL_UNROLL
                for (uint32_t u = 0; u < width; u++)
                {
                    if (at + u * TL_WARP < end)
                    {
                        v[k * width + u] = tl_load16(place, address + u * TL_WARP * 16);
                    }
                }
            }
        }

        TL_UNROLL
        for (uint32_t u = 0; u < width; u++)
        {
            if (at + u * TL_WARP < end)
            {
                float sum[8];
                tl_clear(sum);
                if (is_parted)
                {
                    tl_add_parts(arguments, sum, &v[u], width, sources, biases, summands, most, 0);
                    tl_add_parts(arguments, sum, &v[u], width, sources, biases, summands, most, 2);
                }
                else
                {
                    TL_UNROLL
                    for (uint32_t k = 0; k < most; k++)
                    {
                        if (k < summands)
                        {
                            tl_add_bf16(
                                sum, v[k * width + u].word, 4, k < biases ? 1.0f : sources[k - biases].weight);
                        }
                    }
                }

                tl_store_sum(place, arguments, group->target, at + u * TL_WARP, sum, 1);
            }
        }
    }
}

/* By one warp, of any group: indices [from, end) of 8 elements, or of one where something is not aligned. */
TL_FN void tl_sum_any(
    const struct tl_place *place, const struct tl_reduce_shared *shared,
    const struct tl_reduce_rows_arguments *arguments, const struct tl_batch *batch, const struct tl_group *group,
    const uint32_t from, const uint32_t end, const int is_aligned)
{
    const uint32_t summands = tl_biases(arguments) + group->count;
    TL_NO_UNROLL
    for (uint32_t at = from + tl_lane(place); at < end; at += TL_WARP)
    {
        float sum[8];
        float part[8];
        int is_in_part = 0;
        tl_clear(sum);
        tl_clear(part);
        TL_NO_UNROLL
        for (uint32_t first = 0; first < summands; first += TL_ANY_IN_FLIGHT)
        {
            struct tl_raw raw[TL_ANY_IN_FLIGHT];
            TL_UNROLL
            for (uint32_t k = 0; k < TL_ANY_IN_FLIGHT; k++)
            {
                if (first + k < summands)
                {
                    tl_load_elements(place, &raw[k],
                        tl_summand_of(place, shared, arguments, batch, group, first + k), at, is_aligned);
                }
            }

            TL_UNROLL
            for (uint32_t k = 0; k < TL_ANY_IN_FLIGHT; k++)
            {
                if (first + k < summands)
                {
                    const struct tl_summand summand =
                        tl_summand_of(place, shared, arguments, batch, group, first + k);
                    if (summand.flags & TL_SOURCE_BEGINS_PART)
                    {
                        tl_end_part(arguments, sum, part, 8, is_in_part);
                        is_in_part = 1;
                    }

                    tl_add_elements(part, &raw[k], summand, is_aligned);
                }
            }
        }

        tl_end_part(arguments, sum, part, 8, is_in_part);
        tl_store_sum(place, arguments, group->target, at, sum, is_aligned);
    }
}

/* A phase, after the rows are there: entries of consecutive rows are consecutive. */
TL_FN void tl_fetch_sources(
    const struct tl_place *place, struct tl_reduce_shared *shared, const struct tl_reduce_rows_arguments *arguments,
    struct tl_batch *batch)
{
    tl_set_entries(batch, shared->row, TL_SOURCES_AT_ONCE);
    for (uint32_t i = batch->first_entry + place->thread; i < batch->end_entry; i += place->threads)
    {
        shared->source[i - batch->first_entry] = tl_read_source(place, arguments, i);
    }
}

/* By one warp: a unit of one group. */
TL_FN void tl_sum_unit(
    const struct tl_place *place, const struct tl_reduce_shared *shared,
    const struct tl_reduce_rows_arguments *arguments, const struct tl_batch *batch, const struct tl_group *group,
    const uint32_t from, const uint32_t end, const int what)
{
    const uint32_t summands = tl_biases(arguments) + group->count;
    const int is_parted = TL_SUMS_PARTED == what;
    if (TL_SUMS_ANY != what && summands <= 2)
    {
        tl_sum_plain(place, shared, arguments, batch, group, from, end, 2, 4, is_parted);
    }
    else if (TL_SUMS_ANY != what && summands <= 4)
    {
        tl_sum_plain(place, shared, arguments, batch, group, from, end, 4, 2, is_parted);
    }
    else if (TL_SUMS_ANY != what)
    {
        tl_sum_plain(place, shared, arguments, batch, group, from, end, TL_PLAIN_SUMMANDS, 1, is_parted);
    }
    else if (arguments->flags & TL_UNALIGNED)
    {
        tl_sum_any(place, shared, arguments, batch, group, 8 * from, 8 * end, 0);
    }
    else
    {
        tl_sum_any(place, shared, arguments, batch, group, from, end, 1);
    }
}

/* A phase: units [first, end). */
TL_FN void tl_sum_units(
    const struct tl_place *place, const struct tl_reduce_shared *shared,
    const struct tl_reduce_rows_arguments *arguments, const struct tl_batch *batch, const uint64_t first,
    const uint64_t end, const int what)
{
    const uint32_t vectors = arguments->hidden / 8;
    const uint32_t units = (vectors + TL_SUM_UNIT - 1) / TL_SUM_UNIT;
    const uint64_t base = batch->first_row * units;
    const uint32_t last = (uint32_t)(end - base);
    TL_NO_UNROLL
    for (uint32_t u = (uint32_t)(first - base) + tl_warp(place); u < last; u += tl_warps(place))
    {
        const uint32_t index = u / units;
        const uint32_t from = (u - index * units) * TL_SUM_UNIT;
        const uint32_t to = (uint32_t)tl_least(from + TL_SUM_UNIT, vectors);
        const struct tl_group group = tl_group_of(arguments, &shared->row[index]);
        tl_sum_unit(place, shared, arguments, batch, &group, from, to, what);
    }
}

/* what: the tables that the kernel takes, see TL_SUMS_ANY. */
TL_FN void tl_reduce_rows_block(
    struct tl_place *place, struct tl_reduce_shared *shared, const struct tl_reduce_rows_arguments *arguments,
    const int what)
{
    const uint32_t units = (arguments->hidden / 8 + TL_SUM_UNIT - 1) / TL_SUM_UNIT;
    const uint64_t all = (uint64_t)arguments->count * units;
    const uint64_t begin = tl_first_unit(all, place->block, place->blocks);
    const uint64_t end = tl_first_unit(all, place->block + 1, place->blocks);
    struct tl_batch batch;

    TL_NO_UNROLL
    for (uint64_t at = begin; at < end;)
    {
        batch.first_row = at / units;
        const uint64_t most = (batch.first_row + TL_GROUPS_AT_ONCE) * units;
        const uint64_t until = tl_least(most, end);
        batch.end_row = (until + units - 1) / units;
        TL_EACH_THREAD(place)
        {
            tl_fetch_table_rows(place, shared->row, arguments->rows, &batch);
        }

        TL_MEET();
        TL_EACH_THREAD(place)
        {
            tl_fetch_sources(place, shared, arguments, &batch);
        }

        TL_MEET();
        TL_EACH_THREAD(place)
        {
            tl_sum_units(place, shared, arguments, &batch, at, until, what);
        }

        TL_MEET();
        at = until;
    }

    tl_complete(place, &arguments->completion);
}

#endif
