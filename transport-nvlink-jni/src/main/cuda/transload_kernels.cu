/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */

/* The kernels as the driver launches them; what they do is in the headers, which the host's twins share. */

#include "tl_cast.cuh"
#include "tl_copy.cuh"
#include "tl_launch.cuh"
#include "tl_reduce.cuh"
#include "tl_scatter.cuh"

TL_KERNEL(tl_mark)(const __grid_constant__ struct tl_completion completion)
{
    struct tl_place place = tl_here();
    tl_complete(&place, &completion);
}

TL_KERNEL(tl_put_rows)(const __grid_constant__ struct tl_put_rows_arguments arguments)
{
    __shared__ struct tl_rows_shared shared;
    struct tl_place place = tl_here();
    tl_put_rows_block(&place, &shared, &arguments);
}

TL_KERNEL(tl_put_rows_parts)(const __grid_constant__ struct tl_put_rows_parts_arguments arguments)
{
    __shared__ struct tl_parts_shared shared;
    struct tl_place place = tl_here();
    tl_put_rows_parts_block(&place, &shared, &arguments);
}

TL_KERNEL(tl_zero_rows)(const __grid_constant__ struct tl_zero_rows_arguments arguments)
{
    __shared__ struct tl_rows_shared shared;
    struct tl_place place = tl_here();
    tl_zero_rows_block(&place, &shared, &arguments);
}

TL_KERNEL(tl_put)(const __grid_constant__ struct tl_put_arguments arguments)
{
    struct tl_place place = tl_here();
    tl_put_block(&place, &arguments);
}

TL_KERNEL(tl_add64)(const __grid_constant__ struct tl_add64_arguments arguments)
{
    struct tl_place place = tl_here();
    tl_add64_block(&place, &arguments);
}

TL_KERNEL(tl_reduce_rows)(const __grid_constant__ struct tl_reduce_rows_arguments arguments)
{
    __shared__ struct tl_reduce_shared shared;
    struct tl_place place = tl_here();
    tl_reduce_rows_block(&place, &shared, &arguments, TL_SUMS_PLAIN);
}

TL_KERNEL(tl_reduce_parted_rows)(const __grid_constant__ struct tl_reduce_rows_arguments arguments)
{
    __shared__ struct tl_reduce_shared shared;
    struct tl_place place = tl_here();
    tl_reduce_rows_block(&place, &shared, &arguments, TL_SUMS_PARTED);
}

/* Fewer threads, since more registers. */
extern "C" __global__ void __launch_bounds__(512, 1) tl_reduce_any_rows(
    const __grid_constant__ struct tl_reduce_rows_arguments arguments)
{
    __shared__ struct tl_reduce_shared shared;
    struct tl_place place = tl_here();
    tl_reduce_rows_block(&place, &shared, &arguments, TL_SUMS_ANY);
}

TL_KERNEL(tl_scatter_rows)(const __grid_constant__ struct tl_scatter_rows_arguments arguments)
{
    __shared__ struct tl_scatter_shared shared;
    struct tl_place place = tl_here();
    tl_scatter_rows_block(&place, &shared, &arguments);
}

TL_KERNEL(tl_quantize_rows)(const __grid_constant__ struct tl_cast_rows_arguments arguments)
{
    __shared__ struct tl_cast_shared shared;
    struct tl_place place = tl_here();
    tl_cast_rows_block(&place, &shared, &arguments, 1);
}

TL_KERNEL(tl_dequantize_rows)(const __grid_constant__ struct tl_cast_rows_arguments arguments)
{
    __shared__ struct tl_cast_shared shared;
    struct tl_place place = tl_here();
    tl_cast_rows_block(&place, &shared, &arguments, 0);
}
