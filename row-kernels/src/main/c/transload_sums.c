/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */

/*
 * Sums of BF16 rows into one: see NativeArithmetic.java. Elements are summed in F32, in the order of the rows, and
 * rounded once at the end, or a first time behind some of the rows; each NaN that comes out is the canonical one. The
 * bits are those of ScalarArithmetic.java.
 */

#include <jni.h>
#include <stdint.h>
#include <string.h>

#define NATIVE(type, name) JNIEXPORT type JNICALL Java_dev_transload_kernels_host_NativeSums_##name
#define UNUSED __attribute__((unused))

#if defined(__x86_64__)

#include <immintrin.h>

#define SIMD __attribute__((target("avx2,fma")))

/* Or the constants of a turn would be loaded anew in each. */
#define INLINE SIMD __attribute__((always_inline))

/* Unrolled, or the vectors of a turn would not stay in registers. */
#define EACH_VECTOR(i) _Pragma("GCC unroll 4") for (int i = 0; i < VECTORS; i++)

enum
{
    LINE = 64,
    ELEMENT = 2,
    /* Elements of a turn: two lines, in so many vectors. */
    TURN = 64,
    VECTORS = 4,
    NAN_BITS = 0x7FC00000,
    UPPER = (int)0xFFFF0000
};

/* A row; written by NativeSums.java. */
struct summand
{
    const char *address;
    float weight;
    int32_t is_weighted;
};

_Static_assert(sizeof(struct summand) == 16, "summand");

/*
 * A group: a sum and its rows; behind it begins the next one. Written by NativeSums.java. The first `rounded` rows, if
 * any, are rounded to BF16 before the next is added.
 */
struct group
{
    char *target;
    int32_t hidden;
    int32_t count;
    int32_t rounded;
    int32_t is_streamed;
    struct summand rows[];
};

_Static_assert(sizeof(struct group) == 24, "group");

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

static uint32_t bits_of(const float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof(bits));
    return bits;
}

static float value_of(const uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof(value));
    return value;
}

static uint32_t bf16_of(const float value)
{
    const uint32_t bits = bits_of(value);
    return value != value ? NAN_BITS >> 16 : (bits + 0x7FFF + (bits >> 16 & 1)) >> 16;
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

NATIVE(jboolean, isPossible)(JNIEnv *env UNUSED, jclass type UNUSED)
{
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
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

/*
 * Many groups by one call, since the JVM fences each call, which drains the streamed stores. The pages of the next
 * group are not touched beside this one, as those of the next row are where rows are copied: it was no faster.
 */
NATIVE(void, sumAll)(JNIEnv *env UNUSED, jclass type UNUSED, jlong first, jlong end)
{
    const struct group *group = (const struct group *)(uintptr_t)first;
    while (group < (const struct group *)(uintptr_t)end)
    {
        sum_group(group);
        group = (const struct group *)&group->rows[group->count];
    }
}

/* Streaming stores go round the order of other stores: behind this they count as plain ones. */
NATIVE(void, fence)(JNIEnv *env UNUSED, jclass type UNUSED)
{
    _mm_sfence();
}

#else

NATIVE(jboolean, isPossible)(JNIEnv *env UNUSED, jclass type UNUSED)
{
    return JNI_FALSE;
}

#endif
