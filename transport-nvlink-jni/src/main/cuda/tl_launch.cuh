/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */

/* How kernels are declared, and where in a launch they are. Of the device alone. */

#ifndef TL_LAUNCH_CUH
#define TL_LAUNCH_CUH

#include "tl_device.cuh"

#define TL_KERNEL(name) extern "C" __global__ void __launch_bounds__(1024, 1) name

__device__ __forceinline__ struct tl_place tl_here()
{
    struct tl_place place;
    place.memory = nullptr;
    place.block = blockIdx.x;
    place.blocks = gridDim.x;
    place.thread = threadIdx.x;
    place.threads = blockDim.x;
    return place;
}

#endif
