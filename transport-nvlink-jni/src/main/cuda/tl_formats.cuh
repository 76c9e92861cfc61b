/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */

/*
 * BF16 and FP8 E4M3 (OCP 8-bit Floating Point Specification 1.0), and the scale of a group of 128: the bits of the
 * host's row kernels. BF16 is the upper half of an F32; both round to nearest even. Each format has one NaN.
 */

#ifndef TL_FORMATS_CUH
#define TL_FORMATS_CUH

#include "tl_device.cuh"

#ifndef __CUDACC__
#include <math.h>
#include <string.h>
#endif

#define TL_NAN_F32 0x7FC00000u
#define TL_NAN_BF16 0x7FC0u
#define TL_NAN_E4M3 0x7Fu
#define TL_MAX_E4M3 448.0f
#define TL_AMAX_FLOOR 1e-4f
#define TL_INFINITY_BF16 0x7F80u

TL_FN float tl_f32(const uint32_t bits)
{
#ifdef __CUDA_ARCH__
    return __uint_as_float(bits);
#else
    float value;
    memcpy(&value, &bits, sizeof(value));
    return value;
#endif
}

TL_FN uint32_t tl_bits(const float value)
{
#ifdef __CUDA_ARCH__
    return __float_as_uint(value);
#else
    uint32_t bits;
    memcpy(&bits, &value, sizeof(bits));
    return bits;
#endif
}

/* F32 bits, of the canonical NaN if need be. */
TL_FN uint32_t tl_canonical(const float value)
{
    return value != value ? TL_NAN_F32 : tl_bits(value);
}

/* Two BF16 of one word: the lower half is the first element. */
TL_FN float tl_bf16_first(const uint32_t pair)
{
    return tl_f32(pair << 16);
}

TL_FN float tl_bf16_second(const uint32_t pair)
{
    return tl_f32(pair & 0xFFFF0000u);
}

/* A NaN comes out as any NaN. */
TL_FN uint32_t tl_round_pair(const float first, const float second)
{
#ifdef __CUDA_ARCH__
    uint32_t pair;
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(second), "f"(first));
    return pair;
#else
    const uint32_t low = tl_bits(first);
    const uint32_t high = tl_bits(second);
    return ((low + 0x7FFF + (low >> 16 & 1)) >> 16) | ((high + 0x7FFF + (high >> 16 & 1)) & 0xFFFF0000u);
#endif
}

TL_FN uint32_t tl_bf16_pair(const float first, const float second)
{
    const uint32_t pair = tl_round_pair(first, second);
    const uint32_t one = first != first ? (pair & 0xFFFF0000u) | TL_NAN_BF16 : pair;
    return second != second ? (one & 0xFFFFu) | TL_NAN_BF16 << 16 : one;
}

/*
 * In the lowest byte, the code of a value that rounds to at most 448, without its sign. Adding 2^20 times the power of two of a
 * value, or 2^-6, leaves its first four significant bits as the last ones of the sum, rounded. The exponent is added to
 * them; the 56 in the addend takes the bias away.
 */
TL_FN uint32_t tl_e4m3_magnitude(const float value)
{
    const uint32_t bits = tl_bits(value);
    const uint32_t power = bits & 0x7F800000;
    const uint32_t exponent = power < 0x3C800000u ? 0x3C800000u : power;
    return tl_bits(tl_f32(bits & 0x7FFFFFFF) + tl_f32(exponent + (20u << 23) + 56)) + (exponent >> 20);
}

TL_FN uint32_t tl_lowest_bytes(const uint32_t first, const uint32_t second, const uint32_t third, const uint32_t fourth)
{
#ifdef __CUDA_ARCH__
    return __byte_perm(__byte_perm(first, second, 0x0040), __byte_perm(third, fourth, 0x0040), 0x5410);
#else
    return (first & 0xFF) | (second & 0xFF) << 8 | (third & 0xFF) << 16 | fourth << 24;
#endif
}

/* Exact: the code's fields are those of an F32, subnormal ones too, that is 2^120 times too small. */
TL_FN float tl_e4m3_value(const uint32_t code)
{
    if (TL_NAN_E4M3 == (code & 0x7F))
    {
        return tl_f32(TL_NAN_F32);
    }

    return tl_f32((code & 0x80) << 24 | (code & 0x7F) << 20) * tl_f32((127u + 120u) << 23);
}

/* Scale of a group by the bits of its largest BF16 magnitude, and what its elements are multiplied by. */
TL_FN float tl_scale(const uint32_t magnitude, const int is_power_of_two, float *factor)
{
    const float largest = tl_f32(magnitude << 16);
    const float amax = largest < TL_AMAX_FLOOR ? TL_AMAX_FLOOR : largest;
    float scale = amax * (1.0f / TL_MAX_E4M3);
    *factor = TL_MAX_E4M3 / amax;
    if (is_power_of_two)
    {
        /* 448 = 1.75 * 2^8: the logarithm is rounded up where amax has a larger mantissa than 1.75. */
        const uint32_t bits = tl_bits(amax);
        const uint32_t round_up = (bits & 0x7FFFFF) > (tl_bits(TL_MAX_E4M3) & 0x7FFFFF);
        scale = magnitude >= TL_INFINITY_BF16 ? amax : tl_f32(((bits >> 23) - 8 + round_up) << 23);
        *factor = 1.0f / scale;
    }

    return tl_f32(tl_canonical(scale));
}

#endif
