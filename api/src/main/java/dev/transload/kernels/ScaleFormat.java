/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.kernels;

/**
 * Formula for the scale of a group of 128 elements in a cast from BF16 to FP8. {@code amax} is the largest absolute
 * value of the group, or 1e-4 if that is larger. {@code x} is an element, {@code q} is its FP8 value, and RNE means
 * rounding to nearest even.
 */
public enum ScaleFormat
{
    /** {@code scale = amax · (1/448)}, {@code q = saturate(RNE(x · (448/amax)))}, all in F32. */
    AMAX,
    /** {@code scale = 2^⌈log2(amax/448)⌉}, {@code q = saturate(RNE(x / scale))}; the scale is stored as F32. */
    POWER_OF_TWO
}
