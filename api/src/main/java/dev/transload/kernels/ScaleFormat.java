/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.kernels;

/** How the scale of a group of 128 elements is chosen when BF16 is cast to FP8. {@code amax} is clamped at 1e-4. */
public enum ScaleFormat
{
    /** {@code scale = amax · (1/448)}, {@code q = saturate(RNE(x · (448/amax)))}, all in F32. */
    AMAX,
    /** {@code scale = 2^⌈log2(amax/448)⌉}, {@code q = saturate(RNE(x / scale))}; the scale is stored as F32. */
    POWER_OF_TWO
}
