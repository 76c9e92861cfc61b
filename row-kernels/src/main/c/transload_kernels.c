/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */

/*
 * Row kernels of host memory: see NativeKernels.java. The bits are those of ScalarArithmetic.java. Elements are summed in
 * F32, in the order of the rows, and rounded once at the end, or a first time behind some of the rows; each NaN that
 * comes out is the canonical one. Sums of BF16 rows to BF16 are written for AVX2; all else, and they too on other
 * processors, is plain C that the compiler turns into vectors.
 */

#include "../../../../api/src/main/c/row_stream.h"

#include <jni.h>
#include <stdint.h>
#include <string.h>

#define NATIVE(type, name) JNIEXPORT type JNICALL Java_dev_transload_kernels_host_NativeKernels_##name
#define UNUSED __attribute__((unused))

#if defined(__x86_64__)
#define SIMD __attribute__((target("avx2,fma")))
#else
#define SIMD
#endif

/* Or the constants of a turn would be loaded anew in each. */
#define INLINE SIMD __attribute__((always_inline))

/* Of all processors; compiled for the one of the function that it is inlined into. */
#define PLAIN __attribute__((always_inline))

enum
{
    ELEMENT = 2,
    /* Elements that share a scale of FP8. */
    GROUP = 128,
    PAIRS = GROUP / 2,
    /* Elements that are summed at a time in plain C; their sums stay in the first-level cache. */
    BLOCK = 1024,
    NAN_BITS = 0x7FC00000
};

/* A row; written by NativeKernels.java. */
struct summand
{
    const char *address;
    float weight;
    int16_t is_weighted;
    int16_t is_f32;
};

_Static_assert(sizeof(struct summand) == 16, "summand");

/*
 * A group: a sum and its rows; behind it begins the next one. Written by NativeKernels.java. The first `rounded` rows,
 * if any, are rounded to BF16 before the next is added. `has_f32` says that the sum or one of the rows is F32.
 */
struct group
{
    char *target;
    int32_t hidden;
    int32_t count;
    int32_t rounded;
    int8_t is_streamed;
    int8_t is_f32;
    int8_t has_f32;
    int8_t unused;
    struct summand rows[];
};

_Static_assert(sizeof(struct group) == 24, "group");

/* Rows may begin at any byte. */
typedef uint16_t __attribute__((aligned(1), may_alias)) u16;
typedef uint32_t __attribute__((aligned(1), may_alias)) u32;

PLAIN static inline uint32_t bits_of(const float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof(bits));
    return bits;
}

PLAIN static inline float value_of(const uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof(value));
    return value;
}

PLAIN static inline uint32_t bf16_of(const float value)
{
    const uint32_t bits = bits_of(value);
    const uint32_t rounded = (bits + 0x7FFF + (bits >> 16 & 1)) >> 16;
    return value != value ? NAN_BITS >> 16 : rounded;
}

#if defined(__x86_64__)

/* Unrolled, or the vectors of a turn would not stay in registers. */
#define EACH_VECTOR(i) _Pragma("GCC unroll 4") for (int i = 0; i < VECTORS; i++)

enum
{
    /* Elements of a turn: two lines, in so many vectors. */
    TURN = 64,
    VECTORS = 4,
    UPPER = (int)0xFFFF0000
};

/* Round to nearest, ties to even: BF16 in the upper half of each lane, remains below. Of no NaN. */
INLINE static inline __m256i round_number(const __m256 value)
{
    const __m256i bits = _mm256_castps_si256(value);
    const __m256i odd = _mm256_and_si256(_mm256_srli_epi32(bits, 16), _mm256_set1_epi32(1));
    return _mm256_add_epi32(_mm256_add_epi32(bits, _mm256_set1_epi32(0x7FFF)), odd);
}

INLINE static inline __m256i round_any(const __m256 value)
{
    const __m256 is_nan = _mm256_cmp_ps(value, value, _CMP_UNORD_Q);
    return _mm256_blendv_epi8(
        round_number(value), _mm256_set1_epi32(NAN_BITS), _mm256_castps_si256(is_nan));
}

INLINE static inline __m256 round_to_bf16(const __m256 value)
{
    return _mm256_castsi256_ps(_mm256_and_si256(round_any(value), _mm256_set1_epi32(UPPER)));
}

INLINE static inline __m256i pack(const __m256i even, const __m256i odd)
{
    return _mm256_or_si256(_mm256_srli_epi32(even, 16), _mm256_and_si256(odd, _mm256_set1_epi32(UPPER)));
}

/* Of 16 elements the even ones and the odd ones. */
INLINE static inline __m256 evens(const __m256i pairs)
{
    return _mm256_castsi256_ps(_mm256_slli_epi32(pairs, 16));
}

INLINE static inline __m256 odds(const __m256i pairs)
{
    return _mm256_castsi256_ps(_mm256_and_si256(pairs, _mm256_set1_epi32(UPPER)));
}

/* Sum 64 elements that begin `at` bytes into each row. */
INLINE static inline void sum_several(const struct group *const group, const size_t at, __m256i sums[VECTORS])
{
    __m256 even[VECTORS];
    __m256 odd[VECTORS];
    EACH_VECTOR(i)
    {
        even[i] = _mm256_setzero_ps();
        odd[i] = _mm256_setzero_ps();
    }

    for (int row = 0; row < group->count; row++)
    {
        const struct summand *const one = &group->rows[row];
        const __m256i *const from = (const __m256i *)(one->address + at);
        if (one->is_weighted)
        {
            const __m256 weight = _mm256_set1_ps(one->weight);
            EACH_VECTOR(i)
            {
                const __m256i pairs = _mm256_loadu_si256(from + i);
                even[i] = _mm256_fmadd_ps(weight, evens(pairs), even[i]);
                odd[i] = _mm256_fmadd_ps(weight, odds(pairs), odd[i]);
            }
        }
        else
        {
            EACH_VECTOR(i)
            {
                const __m256i pairs = _mm256_loadu_si256(from + i);
                even[i] = _mm256_add_ps(even[i], evens(pairs));
                odd[i] = _mm256_add_ps(odd[i], odds(pairs));
            }
        }

        if (row + 1 == group->rounded)
        {
            EACH_VECTOR(i)
            {
                even[i] = round_to_bf16(even[i]);
                odd[i] = round_to_bf16(odd[i]);
            }
        }
    }

    __m256 is_nan = _mm256_setzero_ps();
    EACH_VECTOR(i)
    {
        is_nan = _mm256_or_ps(is_nan, _mm256_cmp_ps(even[i], odd[i], _CMP_UNORD_Q));
    }

    if (__builtin_expect(_mm256_movemask_ps(is_nan), 0))
    {
        EACH_VECTOR(i)
        {
            sums[i] = pack(round_any(even[i]), round_any(odd[i]));
        }
        return;
    }

    EACH_VECTOR(i)
    {
        sums[i] = pack(round_number(even[i]), round_number(odd[i]));
    }
}

/* The sum of one row without a weight, which nothing rounds: as it is, but for NaNs, and +0 for -0. */
INLINE static inline void sum_one(const struct group *const group, const size_t at, __m256i sums[VECTORS])
{
    const __m256i *const from = (const __m256i *)(group->rows->address + at);
    EACH_VECTOR(i)
    {
        const __m256i row = _mm256_loadu_si256(from + i);
        const __m256i magnitude = _mm256_and_si256(row, _mm256_set1_epi16(0x7FFF));
        const __m256i is_nan = _mm256_cmpgt_epi16(magnitude, _mm256_set1_epi16(0x7F80));
        const __m256i is_zero = _mm256_cmpeq_epi16(magnitude, _mm256_setzero_si256());
        sums[i] = _mm256_andnot_si256(
            is_zero, _mm256_blendv_epi8(row, _mm256_set1_epi16(NAN_BITS >> 16), is_nan));
    }
}

/* Element by element: what does not fill a turn. */
SIMD static void sum_few(const struct group *const group, char *const target, const int from, const int end)
{
    for (int i = from; i < end; i++)
    {
        float sum = 0.0f;
        for (int row = 0; row < group->count; row++)
        {
            const struct summand *const one = &group->rows[row];
            uint16_t element;
            memcpy(&element, one->address + (size_t)i * ELEMENT, sizeof(element));
            const float value = value_of((uint32_t)element << 16);
            sum = one->is_weighted ? __builtin_fmaf(one->weight, value, sum) : sum + value;
            if (row + 1 == group->rounded)
            {
                sum = value_of(bf16_of(sum) << 16);
            }
        }

        const uint16_t element = (uint16_t)bf16_of(sum);
        memcpy(target + (size_t)i * ELEMENT, &element, sizeof(element));
    }
}

/*
 * Sum what is whole turns from element `from` on; returns the element behind them. Streamed stores leave nothing in the
 * cache, and begin where a line of the target does.
 */
INLINE static inline int sum_turns(
    const struct group *const group, char *const target, const int from, const int end, const int is_one,
    const int is_streamed)
{
    int i = from;
    for (; i + TURN <= end; i += TURN)
    {
        __m256i sums[VECTORS];
        if (is_one)
        {
            sum_one(group, (size_t)i * ELEMENT, sums);
        }
        else
        {
            sum_several(group, (size_t)i * ELEMENT, sums);
        }

        __m256i *const to = (__m256i *)(target + (size_t)i * ELEMENT);
        EACH_VECTOR(k)
        {
            if (is_streamed)
            {
                _mm256_stream_si256(to + k, sums[k]);
            }
            else
            {
                _mm256_storeu_si256(to + k, sums[k]);
            }
        }
    }
    return i;
}

/* Each of these is compiled by itself. */
SIMD static int sum_lines(
    const struct group *const group, char *const target, const int from, const int end, const int is_streamed)
{
    const int is_one = 1 == group->count && !group->rows->is_weighted;
    if (is_streamed)
    {
        return is_one ? sum_turns(group, target, from, end, 1, 1) : sum_turns(group, target, from, end, 0, 1);
    }
    return is_one ? sum_turns(group, target, from, end, 1, 0) : sum_turns(group, target, from, end, 0, 0);
}

static void sum_group(const struct group *const group)
{
    char *const target = group->target;
    const int hidden = group->hidden;
    /* No element of an odd address begins a line. */
    const int can_stream = group->is_streamed && 0 == ((uintptr_t)target & 1);
    const int before = can_stream ? (int)((-(uintptr_t)target & (LINE - 1)) / ELEMENT) : 0;
    const int head = before < hidden ? before : hidden;
    sum_few(group, target, 0, head);
    const int done = sum_lines(group, target, head, hidden, can_stream);
    sum_few(group, target, done, hidden);
}

#endif

/* Without it, GCC 12 leaves the loops below scalar. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3", "no-trapping-math")
#endif

INLINE static inline void add_row(
    const struct summand *const row, const int from, const int length, float sums[restrict BLOCK])
{
    const float weight = row->weight;
    const u16 *const bf16 = (const u16 *)row->address + from;
    const u32 *const f32 = (const u32 *)row->address + from;
    if (row->is_f32)
    {
        if (row->is_weighted)
        {
            for (int i = 0; i < length; i++)
            {
                sums[i] = __builtin_fmaf(weight, value_of(f32[i]), sums[i]);
            }
            return;
        }
        for (int i = 0; i < length; i++)
        {
            sums[i] += value_of(f32[i]);
        }
        return;
    }
    if (row->is_weighted)
    {
        for (int i = 0; i < length; i++)
        {
            sums[i] = __builtin_fmaf(weight, value_of((uint32_t)bf16[i] << 16), sums[i]);
        }
        return;
    }
    for (int i = 0; i < length; i++)
    {
        sums[i] += value_of((uint32_t)bf16[i] << 16);
    }
}

/* Of any types, by blocks. */
SIMD static void sum_blocks(const struct group *const group)
{
    float sums[BLOCK];
    for (int from = 0; from < group->hidden; from += BLOCK)
    {
        const int length = group->hidden - from < BLOCK ? group->hidden - from : BLOCK;
        memset(sums, 0, sizeof(sums));
        for (int row = 0; row < group->count; row++)
        {
            add_row(&group->rows[row], from, length, sums);
            if (row + 1 == group->rounded)
            {
                for (int i = 0; i < length; i++)
                {
                    sums[i] = value_of(bf16_of(sums[i]) << 16);
                }
            }
        }

        if (group->is_f32)
        {
            u32 *const target = (u32 *)group->target + from;
            for (int i = 0; i < length; i++)
            {
                target[i] = sums[i] != sums[i] ? (uint32_t)NAN_BITS : bits_of(sums[i]);
            }
        }
        else
        {
            u16 *const target = (u16 *)group->target + from;
            for (int i = 0; i < length; i++)
            {
                target[i] = (uint16_t)bf16_of(sums[i]);
            }
        }
    }
}

NATIVE(jboolean, isPossible)(JNIEnv *env UNUSED, jclass type UNUSED)
{
#if defined(__x86_64__)
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#else
    return __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;
#endif
}

/*
 * Many groups by one call, since the JVM fences each call, which drains the streamed stores. The pages of the next
 * group are not touched beside this one, as those of the next row are where rows are copied: it was no faster.
 */
NATIVE(void, sumAll)(JNIEnv *env UNUSED, jclass type UNUSED, jlong first, jlong end)
{
    const struct group *group = (const struct group *)(uintptr_t)first;
    while (group < (const struct group *)(uintptr_t)end)
    {
#if defined(__x86_64__)
        if (!group->has_f32)
        {
            sum_group(group);
        }
        else
#endif
        {
            sum_blocks(group);
        }
        group = (const struct group *)&group->rows[group->count];
    }
}

/* Streaming stores go round the order of other stores: behind this they count as plain ones. */
NATIVE(void, fence)(JNIEnv *env UNUSED, jclass type UNUSED)
{
#if defined(__x86_64__)
    _mm_sfence();
#endif
}

/* A row of RowTable.java; the entries of a row end where those of the next one begin. */
struct table_row
{
    int32_t row;
    int32_t first_entry;
};

_Static_assert(sizeof(struct table_row) == 8, "table_row");

/* An entry of RowTable.java. */
struct table_entry
{
    int32_t row;
    uint32_t region;
};

_Static_assert(sizeof(struct table_entry) == 8, "table_entry");

/* Where the rows of a region begin, and how far they are apart; written by ScatteredRows.java. */
struct target_rows
{
    char *base;
    int64_t stride;
};

_Static_assert(sizeof(struct target_rows) == 16, "target_rows");

/* Of the word with an entry's region. */
enum
{
    REGION_MASK = 0xFFFF
};

static char *target_of(const struct target_rows *const targets, const struct table_entry *const entry)
{
    const struct target_rows *const target = &targets[entry->region & REGION_MASK];
    return target->base + entry->row * target->stride;
}

#if defined(__x86_64__)

enum
{
    /* Rows that are copied to one region after the other: a part of a core's cache, where they stay meanwhile. */
    SCATTERED_BYTES = 256 * 1024,
    /* With more regions, rows are copied in the order of the table. */
    MOST_PASSES = 16
};

/*
 * Each row comes from memory once: its other copies find it in the cache. Some rows go to one region before they go to
 * the next: rows of 7168 bytes to 4 or 8 regions are 1.09 times as fast as where each goes to all regions at once.
 */
static void scatter_streaming(
    const struct table_row *const rows, const struct table_entry *const entries, const int count,
    const char *const source, const int64_t source_stride, const size_t length,
    const struct target_rows *const targets, const uint32_t regions)
{
    const stream_lines stream = widest();
    const uint32_t passes = regions > MOST_PASSES ? 1 : regions;
    const int at_once = length < SCATTERED_BYTES ? (int)(SCATTERED_BYTES / length) : 1;
    struct next_run run = {NULL, NULL, length};
    for (int from = 0; from < count; from += at_once)
    {
        const int until = count - from < at_once ? count : from + at_once;
        for (uint32_t pass = 0; pass < passes; pass++)
        {
            for (int i = from; i < until; i++)
            {
                for (int32_t e = rows[i].first_entry; e < rows[i + 1].first_entry; e++)
                {
                    if (1 == passes || (entries[e].region & REGION_MASK) == pass)
                    {
                        const struct next_run next =
                            {target_of(targets, &entries[e]), source + rows[i].row * source_stride, length};
                        if (run.source)
                        {
                            copy_run(run.destination, run.source, length, stream, &next);
                        }
                        run = next;
                    }
                }
            }
        }
    }

    if (run.source)
    {
        copy_run(run.destination, run.source, length, stream, NULL);
    }
    _mm_sfence();
}

#endif

NATIVE(void, scatter)(
    JNIEnv *env UNUSED, jclass type UNUSED, jlong first, jlong table_entries, jint count, jlong source,
    jlong source_stride, jint length, jlong target_table, jint regions UNUSED, jboolean is_streamed UNUSED)
{
    const struct table_row *const rows = (const struct table_row *)(uintptr_t)first;
    const struct table_entry *const entries = (const struct table_entry *)(uintptr_t)table_entries;
    const struct target_rows *const targets = (const struct target_rows *)(uintptr_t)target_table;
    const char *const from = (const char *)(uintptr_t)source;
#if defined(__x86_64__)
    if (is_streamed)
    {
        scatter_streaming(rows, entries, count, from, source_stride, (size_t)length, targets, (uint32_t)regions);
        return;
    }
#endif

    for (int i = 0; i < count; i++)
    {
        for (int32_t e = rows[i].first_entry; e < rows[i + 1].first_entry; e++)
        {
            memcpy(target_of(targets, &entries[e]), from + rows[i].row * source_stride, (size_t)length);
        }
    }
}

/* See E4m3.java: to nearest, ties to even. The code, without its sign, of a value of at most 448. */
PLAIN static inline uint32_t e4m3_number(const float value)
{
    const int32_t magnitude = (int32_t)(bits_of(value) & 0x7FFFFFFF);
    const int32_t normal = (magnitude + (0x7FFFF - (120 << 23)) + (magnitude >> 20 & 1)) >> 20;
    /* The last place of an F32 near 2^14 is that of a subnormal E4M3, so that adding it rounds. */
    const int32_t subnormal = (int32_t)bits_of(value_of((uint32_t)magnitude) + 16384.0f) - 0x46800000;
    return (uint32_t)(magnitude < 0x3C800000 ? subnormal : normal);
}

/* The code of any value: what is beyond 448 becomes 448; one NaN, without a sign. */
PLAIN static inline uint8_t e4m3_of(const float value)
{
    const uint32_t bits = bits_of(value);
    const uint32_t magnitude = bits & 0x7FFFFFFF;
    const uint32_t code = magnitude > 0x43E00000 ? 0x7E : e4m3_number(value);
    return (uint8_t)(magnitude > 0x7F800000 ? 0x7F : code | (bits >> 24 & 0x80));
}

PLAIN static inline float of_e4m3(const uint32_t code)
{
    const int32_t magnitude = (int32_t)(code & 0x7F);
    const int32_t normal = (magnitude << 20) + (120 << 23);
    const int32_t subnormal = (int32_t)bits_of(value_of((uint32_t)magnitude + 0x46800000) - 16384.0f);
    const int32_t number = magnitude < 8 ? subnormal : normal;
    const uint32_t bits = (uint32_t)(magnitude == 0x7F ? NAN_BITS : number) | (code & 0x80) << 24;
    return value_of(bits);
}

/* Scale to be stored of a group, and the factor of its elements: see GroupScale.java. */
PLAIN static inline float scale_of(const uint32_t magnitude, const int is_power, float *const factor)
{
    const float largest = value_of(magnitude << 16);
    const float amax = largest != largest ? value_of(NAN_BITS) : largest < 1e-4f ? 1e-4f : largest;
    if (!is_power)
    {
        *factor = 448.0f / amax;
        return amax * (1.0f / 448.0f);
    }

    const uint32_t bits = bits_of(amax);
    const uint32_t up = (bits & 0x7FFFFF) > 0x600000;
    const float scale = bits < 0x7F800000 ? value_of(((bits >> 23) - 8 + up) << 23) : amax;
    *factor = 1.0f / scale;
    return scale;
}

/* One row to E4M3; the scales are F32, of a group each. Two neighbours share a lane, so that lanes need not move. */
PLAIN static inline void quantize_row(
    const u32 *const source, u16 *restrict const target, u32 *restrict const scales, const int hidden, const int is_power)
{
    for (int group = 0; group < hidden / GROUP; group++)
    {
        const u32 *const from = source + group * PAIRS;
        const u16 *const elements = (const u16 *)from;
        uint16_t largest = 0;
        for (int i = 0; i < GROUP; i++)
        {
            const uint16_t magnitude = elements[i] & 0x7FFF;
            largest = largest > magnitude ? largest : magnitude;
        }

        float factor;
        scales[group] = bits_of(scale_of(largest, is_power, &factor));
        u16 *const codes = target + group * PAIRS;
        if (largest < 0x7F80)
        {
            /* No product exceeds 448 or is NaN. */
            for (int i = 0; i < PAIRS; i++)
            {
                const uint32_t pair = from[i];
                const uint32_t even = e4m3_number(value_of(pair << 16) * factor);
                const uint32_t odd = e4m3_number(value_of(pair & 0xFFFF0000) * factor);
                codes[i] = (uint16_t)(even | odd << 8 | (pair >> 8 & 0x80) | (pair >> 16 & 0x8000));
            }
        }
        else
        {
            for (int i = 0; i < PAIRS; i++)
            {
                const uint32_t pair = from[i];
                const uint32_t even = e4m3_of(value_of(pair << 16) * factor);
                const uint32_t odd = e4m3_of(value_of(pair & 0xFFFF0000) * factor);
                codes[i] = (uint16_t)(even | odd << 8);
            }
        }
    }
}

PLAIN static inline void dequantize_row(
    const u16 *const source, u32 *restrict const target, const u32 *const scales, const int hidden)
{
    for (int group = 0; group < hidden / GROUP; group++)
    {
        const u16 *const from = source + group * PAIRS;
        const float scale = value_of(scales[group]);
        u32 *const values = target + group * PAIRS;
        for (int i = 0; i < PAIRS; i++)
        {
            const uint32_t pair = from[i];
            values[i] = bf16_of(of_e4m3(pair & 0xFF) * scale) | bf16_of(of_e4m3(pair >> 8) * scale) << 16;
        }
    }
}

/* The casts, once for each width of vectors. */
#define CASTS(width, attributes) \
    attributes static void quantize_##width( \
        const u32 *const source, u16 *restrict const target, u32 *restrict const scales, const int hidden, const int is_power) \
    { \
        quantize_row(source, target, scales, hidden, is_power); \
    } \
    attributes static void dequantize_##width( \
        const u16 *const source, u32 *restrict const target, const u32 *const scales, const int hidden) \
    { \
        dequantize_row(source, target, scales, hidden); \
    }

CASTS(plain, SIMD)

#if defined(__x86_64__) && defined(__GNUC__)
#define WIDE __attribute__((target("avx512f,avx512bw,avx512vl,avx512dq,prefer-vector-width=512")))
CASTS(wide, WIDE)

static int has_wide(void)
{
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq");
}
#else
#define quantize_wide quantize_plain
#define dequantize_wide dequantize_plain

static int has_wide(void)
{
    return 0;
}
#endif

NATIVE(void, quantize)(
    JNIEnv *env UNUSED, jclass type UNUSED, jlong source, jlong target, jlong scales, jint hidden, jboolean is_power)
{
    const u32 *const row = (const u32 *)(uintptr_t)source;
    u16 *const codes = (u16 *)(uintptr_t)target;
    u32 *const of_groups = (u32 *)(uintptr_t)scales;
    if (has_wide())
    {
        quantize_wide(row, codes, of_groups, hidden, is_power);
    }
    else
    {
        quantize_plain(row, codes, of_groups, hidden, is_power);
    }
}

NATIVE(void, dequantize)(
    JNIEnv *env UNUSED, jclass type UNUSED, jlong source, jlong target, jlong scales, jint hidden)
{
    const u16 *const codes = (const u16 *)(uintptr_t)source;
    u32 *const row = (u32 *)(uintptr_t)target;
    const u32 *const of_groups = (const u32 *)(uintptr_t)scales;
    if (has_wide())
    {
        dequantize_wide(codes, row, of_groups, hidden);
    }
    else
    {
        dequantize_plain(codes, row, of_groups, hidden);
    }
}
