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
#define TL_LARGEST_E4M3 0x7Eu
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

/* Largest finite magnitude for what is beyond it; the NaN has no sign. */
TL_FN uint32_t tl_e4m3(const float value)
{
    const uint32_t bits = tl_bits(value);
    const uint32_t sign = bits >> 24 & 0x80;
    const uint32_t magnitude = bits & 0x7FFFFFFF;
    if (value != value)
    {
        return TL_NAN_E4M3;
    }

    if (magnitude < 0x3C800000u)
    {
        /* Below 2^-6: the last place of 2^14 is that of a subnormal, so that adding it rounds. */
        return sign | (tl_bits(tl_f32(magnitude) + 16384.0f) - 0x46800000u);
    }

    const uint32_t rounded = ((magnitude + 0x7FFFF + (magnitude >> 20 & 1)) >> 20) - (120 << 3);
    return sign | (rounded < TL_LARGEST_E4M3 ? rounded : TL_LARGEST_E4M3);
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
