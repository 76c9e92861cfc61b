/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */

/*
 * Casts between BF16 rows and FP8 E4M3 rows with one F32 scale for each group of 128 elements. 16 lanes hold a group, 8
 * elements each; a unit is 1024 elements of a row, by one warp, 4 vectors a lane in flight.
 */

#ifndef TL_CAST_CUH
#define TL_CAST_CUH

#include "tl_arguments.cuh"
#include "tl_copy.cuh"
#include "tl_formats.cuh"

enum
{
    TL_CAST_VECTORS = 4,
    TL_CAST_UNIT = TL_CAST_VECTORS * TL_WARP,
    TL_GROUP_LANES = 16,
    TL_CASTS_AT_ONCE = 1024
};

struct tl_cast_shared
{
    struct tl_row row[TL_CASTS_AT_ONCE];
    struct tl_row scale[TL_CASTS_AT_ONCE];
};

/* Bits of the largest BF16 magnitude of 8 elements; of any NaN where there is one. */
TL_FN uint32_t tl_magnitude(const struct tl_vector v)
{
#ifdef __CUDA_ARCH__
    uint32_t pair = v.word[0] & 0x7FFF7FFF;
    TL_UNROLL
    for (uint32_t i = 1; i < 4; i++)
    {
        asm("max.NaN.bf16x2 %0, %0, %1;" : "+r"(pair) : "r"(v.word[i] & 0x7FFF7FFF));
    }

    const uint32_t one = pair & 0xFFFF;
    const uint32_t other = pair >> 16;
    return one > other ? one : other;
#else
    uint32_t largest = 0;
    TL_UNROLL
    for (uint32_t i = 0; i < 4; i++)
    {
        const uint32_t low = v.word[i] & 0x7FFF;
        const uint32_t high = v.word[i] >> 16 & 0x7FFF;
        const uint32_t one = low > high ? low : high;
        largest = largest > one ? largest : one;
    }

    return largest;
#endif
}

/* The same of a vector's whole group; all lanes of the warp call it. The host reads what the other lanes hold. */
TL_FN uint32_t tl_group_magnitude(
    const struct tl_place *place, const uint64_t source, const uint32_t vector, const uint32_t own)
{
    uint32_t largest = own;
#ifdef __CUDA_ARCH__
    TL_UNROLL
    for (uint32_t i = TL_GROUP_LANES / 2; i > 0; i /= 2)
    {
        const uint32_t other = __shfl_xor_sync(0xFFFFFFFFu, largest, i);
        largest = largest > other ? largest : other;
    }
#else
    const uint32_t first = vector / TL_GROUP_LANES * TL_GROUP_LANES;
    for (uint32_t i = first; i < first + TL_GROUP_LANES; i++)
    {
        const uint32_t other = tl_magnitude(tl_load16_anywhere(place, source + (uint64_t)i * 16));
        largest = largest > other ? largest : other;
    }
#endif
    return largest;
}

/* Codes of 8 elements, by the magnitude and the factor of their group. */
TL_FN uint64_t tl_quantized(const struct tl_vector v, const uint32_t magnitude, const float factor)
{
    uint64_t codes = 0;
    TL_UNROLL
    for (uint32_t i = 0; i < 4; i += 2)
    {
        const uint32_t one = v.word[i];
        const uint32_t other = v.word[i + 1];
        const uint32_t signs = tl_lowest_bytes(one >> 8, one >> 24, other >> 8, other >> 24) & 0x80808080u;
        codes |= (uint64_t)(signs | tl_lowest_bytes(
            tl_e4m3_magnitude(tl_bf16_first(one) * factor), tl_e4m3_magnitude(tl_bf16_second(one) * factor),
            tl_e4m3_magnitude(tl_bf16_first(other) * factor), tl_e4m3_magnitude(tl_bf16_second(other) * factor)))
            << (16 * i);
    }

    if (magnitude >= TL_INFINITY_BF16)
    {
        /* The factor is 0 or a NaN: each product is 0 or a NaN. */
        TL_UNROLL
        for (uint32_t i = 0; i < 8; i++)
        {
            const uint32_t word = v.word[i / 2];
            const float product = (0 == i % 2 ? tl_bf16_first(word) : tl_bf16_second(word)) * factor;
            codes = product == product ? codes : (codes & ~(0xFFull << (8 * i))) | (uint64_t)TL_NAN_E4M3 << (8 * i);
        }
    }

    return codes;
}

TL_FN struct tl_vector tl_dequantized(const uint64_t codes, const float scale)
{
    struct tl_vector v;
    TL_UNROLL
    for (uint32_t i = 0; i < 4; i++)
    {
        v.word[i] = tl_bf16_pair(
            tl_e4m3_value((uint32_t)(codes >> (16 * i)) & 0xFF) * scale,
            tl_e4m3_value((uint32_t)(codes >> (16 * i + 8)) & 0xFF) * scale);
    }

    return v;
}

/* By one warp: vectors from + lane, + 32, … below end, of BF16 at source; codes and scales go where they belong. */
TL_FN void tl_quantize_unit(
    const struct tl_place *place, const uint64_t source, const uint64_t target, const uint64_t scales,
    const uint32_t from, const uint32_t end, const int is_power_of_two)
{
    struct tl_vector v[TL_CAST_VECTORS];
    TL_UNROLL
    for (uint32_t u = 0; u < TL_CAST_VECTORS; u++)
    {
        const uint32_t at = from + tl_lane(place) + u * TL_WARP;
        if (at < end)
        {
            v[u] = tl_load16_anywhere(place, source + (uint64_t)at * 16);
        }
    }

    TL_UNROLL
    for (uint32_t u = 0; u < TL_CAST_VECTORS; u++)
    {
        const uint32_t at = from + tl_lane(place) + u * TL_WARP;
        const uint32_t own = at < end ? tl_magnitude(v[u]) : 0;
#ifdef __CUDA_ARCH__
        const uint32_t magnitude = tl_group_magnitude(place, source, at, own);
#else
        const uint32_t magnitude = at < end ? tl_group_magnitude(place, source, at, own) : 0;
#endif
        float factor;
        const float scale = tl_scale(magnitude, is_power_of_two, &factor);
        if (at < end)
        {
            tl_store8_anywhere(place, target + (uint64_t)at * 8, tl_quantized(v[u], magnitude, factor));
            if (0 == at % TL_GROUP_LANES)
            {
                tl_store4_anywhere(place, scales + at / TL_GROUP_LANES * 4, tl_bits(scale));
            }
        }
    }
}

TL_FN void tl_dequantize_unit(
    const struct tl_place *place, const uint64_t source, const uint64_t target, const uint64_t scales,
    const uint32_t from, const uint32_t end)
{
    uint64_t codes[TL_CAST_VECTORS];
    float scale[TL_CAST_VECTORS];
    TL_UNROLL
    for (uint32_t u = 0; u < TL_CAST_VECTORS; u++)
    {
        const uint32_t at = from + tl_lane(place) + u * TL_WARP;
        if (at < end)
        {
            codes[u] = tl_load8_anywhere(place, source + (uint64_t)at * 8);
            scale[u] = tl_f32(tl_load4_anywhere(place, scales + at / TL_GROUP_LANES * 4));
        }
    }

    TL_UNROLL
    for (uint32_t u = 0; u < TL_CAST_VECTORS; u++)
    {
        const uint32_t at = from + tl_lane(place) + u * TL_WARP;
        if (at < end)
        {
            tl_store16_anywhere(place, target + (uint64_t)at * 16, tl_dequantized(codes[u], scale[u]));
        }
    }
}

/* A phase. */
TL_FN void tl_fetch_casts(
    const struct tl_place *place, struct tl_cast_shared *shared, const struct tl_cast_rows_arguments *arguments,
    const uint64_t first, const uint64_t end)
{
    for (uint64_t i = first + place->thread; i < end; i += place->threads)
    {
        const struct tl_vector row = tl_load16(place, arguments->entries + i * 16);
        const struct tl_vector scale = tl_load16(place, arguments->scale_entries + i * 16);
        shared->row[i - first].source = arguments->source + tl_low8(row);
        shared->row[i - first].target = arguments->target + tl_high8(row);
        shared->scale[i - first].source = arguments->scales + tl_low8(scale);
        shared->scale[i - first].target = arguments->scales + tl_high8(scale);
    }
}

/* A phase: units [first, end) of the rows from base on, which are fetched. */
TL_FN void tl_cast_units(
    const struct tl_place *place, const struct tl_cast_shared *shared, const struct tl_cast_rows_arguments *arguments,
    const uint64_t base, const uint64_t first, const uint64_t end, const int is_quantization)
{
    const uint32_t vectors = arguments->hidden / 8;
    const uint32_t units = (vectors + TL_CAST_UNIT - 1) / TL_CAST_UNIT;
    const uint32_t last = (uint32_t)(end - base * units);
    TL_NO_UNROLL
    for (uint32_t u = (uint32_t)(first - base * units) + tl_warp(place); u < last; u += tl_warps(place))
    {
        const uint32_t index = u / units;
        const uint32_t from = (u - index * units) * TL_CAST_UNIT;
        const struct tl_row row = shared->row[index];
        if (is_quantization)
        {
            tl_quantize_unit(place, row.source, row.target, shared->scale[index].target, from, vectors,
                0 != arguments->power_of_two);
        }
        else
        {
            tl_dequantize_unit(place, row.source, row.target, shared->scale[index].source, from, vectors);
        }
    }
}

TL_FN void tl_cast_rows_block(
    struct tl_place *place, struct tl_cast_shared *shared, const struct tl_cast_rows_arguments *arguments,
    const int is_quantization)
{
    const uint32_t units = (arguments->hidden / 8 + TL_CAST_UNIT - 1) / TL_CAST_UNIT;
    const uint64_t all = (uint64_t)arguments->count * units;
    const uint64_t begin = tl_first_unit(all, place->block, place->blocks);
    const uint64_t end = tl_first_unit(all, place->block + 1, place->blocks);

    TL_NO_UNROLL
    for (uint64_t at = begin; at < end;)
    {
        const uint64_t base = at / units;
        const uint64_t most = (base + TL_CASTS_AT_ONCE) * units;
        const uint64_t until = tl_least(most, end);
        TL_EACH_THREAD(place)
        {
            tl_fetch_casts(place, shared, arguments, base, (until + units - 1) / units);
        }

        TL_MEET();
        TL_EACH_THREAD(place)
        {
            tl_cast_units(place, shared, arguments, base, at, until, is_quantization);
        }

        TL_MEET();
        at = until;
    }

    tl_complete(place, &arguments->completion);
}

#endif
