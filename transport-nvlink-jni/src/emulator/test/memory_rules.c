/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */

/* Device memory and copies. */

#define _GNU_SOURCE

#include <string.h>

#include "rules.h"

static void memory_has_an_end(void)
{
    size_t left = 1;
    size_t total = 0;
    CUdeviceptr address = 0;
    use_device(0);
    EXPECT(CUDA_ERROR_INVALID_VALUE, cuMemAlloc_v2(&address, 0));
    EXPECT(CUDA_ERROR_OUT_OF_MEMORY, cuMemAlloc_v2(&address, 1048577));
    const CUdeviceptr all = device_memory(1048576);
    OK(cuMemGetInfo_v2(&left, &total));
    HOLDS(left == 0 && total == 1048576);
    EXPECT(CUDA_ERROR_OUT_OF_MEMORY, cuMemAlloc_v2(&address, 1));
    OK(cuMemFree_v2(all));
    OK(cuMemFree_v2(0));
    device_memory(1048576);
    use_device(1);
    device_memory(1048576);
}

static void new_memory_is_garbage(void)
{
    unsigned char bytes[100];
    use_device(0);
    const CUdeviceptr address = device_memory(sizeof bytes);
    OK(cuMemsetD8_v2(address, 7, sizeof bytes));
    OK(cuMemFree_v2(address));
    /* The same place again, and as garbage again. */
    HOLDS(device_memory(sizeof bytes) / 4096 == address / 4096);
    CUdeviceptr other = device_memory(sizeof bytes);
    OK(cuMemcpyDtoH_v2(bytes, other, sizeof bytes));
    for (size_t i = 0; i < sizeof bytes; i++)
    {
        HOLDS(bytes[i] == 0xA5);
    }
}

static void large_memory_is_garbage_at_its_ends(void)
{
    use_device(0);
    const size_t length = 200u << 20;
    const CUdeviceptr address = device_memory(length);
    HOLDS(address % (2 << 20) == 0);
    HOLDS(device_word(address) == 0xA5A5A5A5A5A5A5A5);
    HOLDS(device_word(address + length - 8) == 0xA5A5A5A5A5A5A5A5);
    HOLDS(device_word(address + length / 2) == 0);
}

static void a_cpu_must_not_look(void)
{
    use_device(0);
    const volatile char *memory = (const volatile char *)(uintptr_t)device_memory(64);
    HOLDS(memory[0] != memory[0]);
}

static void copies_arrive(void)
{
    uint64_t words[4] = {11, 12, 13, 14};
    uint64_t back[4] = {0};
    use_device(0);
    const CUdeviceptr first = device_memory(sizeof words);
    const CUdeviceptr second = device_memory(sizeof words);
    CUstream stream = stream_of(1);
    OK(cuMemcpyHtoD_v2(first, words, sizeof words));
    OK(cuMemsetD8Async(second, 0, sizeof words, stream));
    OK(cuMemcpyDtoDAsync_v2(second + 8, first, 16, stream));
    OK(cuMemcpyAsync(second, first + 24, 8, stream));
    OK(cuMemcpyAsync(second, first, 0, stream));
    OK(cuStreamSynchronize(stream));
    OK(cuMemcpyDtoH_v2(back, second, sizeof back));
    HOLDS(back[0] == 14 && back[1] == 11 && back[2] == 12 && back[3] == 0);
}

static void copies_cross_devices(void)
{
    CUcontext first = use_device(0);
    const CUdeviceptr source = device_memory(64);
    OK(cuMemsetD8_v2(source, 9, 64));
    OK(cuCtxSynchronize());
    CUcontext second = use_device(1);
    const CUdeviceptr target = device_memory(64);
    CUstream stream = stream_of(1);
    OK(cuMemcpyDtoDAsync_v2(target, source, 64, stream));
    OK(cuStreamSynchronize(stream));
    HOLDS(device_word(target + 56) == 0x0909090909090909);
    OK(cuMemsetD8_v2(target, 8, 64));
    OK(cuCtxSynchronize());
    OK(cuCtxSetCurrent(first));
    OK(cuMemcpyDtoDAsync_v2(source, target, 64, stream));
    OK(cuCtxSetCurrent(second));
    OK(cuStreamSynchronize(stream));
    OK(cuCtxSetCurrent(first));
    HOLDS(device_word(source + 56) == 0x0808080808080808);
}

static void strictly_copies_by_unified_addresses_want_a_stream_of_their_context(void)
{
    use_device(1);
    CUstream there = stream_of(1);
    use_device(0);
    const CUdeviceptr address = device_memory(64);
    EXPECT(CUDA_ERROR_INVALID_HANDLE, cuMemcpyAsync(address, address + 32, 32, there));
}

static void copies_stay_inside(void)
{
    char bytes[128] = {0};
    use_device(0);
    const CUdeviceptr address = device_memory(64);
    EXPECT(CUDA_ERROR_INVALID_VALUE, cuMemcpyHtoD_v2(address, bytes, 65));
    EXPECT(CUDA_ERROR_INVALID_VALUE, cuMemcpyHtoD_v2((CUdeviceptr)(uintptr_t)bytes, bytes, 8));
    EXPECT(CUDA_ERROR_INVALID_VALUE, cuMemcpyDtoH_v2(bytes, address + 60, 8));
    EXPECT(CUDA_ERROR_INVALID_VALUE, cuMemcpyDtoH_v2((void *)(uintptr_t)address, address, 8));
    EXPECT(CUDA_ERROR_INVALID_VALUE, cuMemcpyDtoDAsync_v2(address + 32, address, 64, NULL));
    EXPECT(CUDA_ERROR_INVALID_VALUE, cuMemcpyAsync(address + 64, address, 8, NULL));
    EXPECT(CUDA_ERROR_INVALID_VALUE, cuMemsetD8Async(address, 0, 65, NULL));
    OK(cuCtxSynchronize());
}

static void freeing_wants_the_start(void)
{
    use_device(0);
    const CUdeviceptr address = device_memory(1024);
    EXPECT(CUDA_ERROR_INVALID_VALUE, cuMemFree_v2(address + 512));
    OK(cuMemFree_v2(address));
    EXPECT(CUDA_ERROR_INVALID_VALUE, cuMemFree_v2(address));
}

static void freeing_waits_for_work(void)
{
    use_device(0);
    CUstream stream = stream_of(1);
    CUfunction function = probe_function("tl_probe");
    const CUdeviceptr used = device_memory(64);
    uint64_t *seen = NULL;
    OK(cuMemHostAlloc((void **)&seen, 8, 3));
    *seen = 0;
    OK(store(function, stream, used, 5));
    OK(store(function, stream, (uint64_t)(uintptr_t)seen, 5));
    OK(cuMemFree_v2(used));
    HOLDS(__atomic_load_n(seen, __ATOMIC_ACQUIRE) == 5);
}

static void addresses_are_known(void)
{
    CUdeviceptr base = 0;
    size_t length = 0;
    unsigned type = 0;
    int ordinal = -1;
    int unknown = 0;
    CUcontext context = NULL;
    CUcontext own = use_device(0);
    const CUdeviceptr address = device_memory(1000);
    OK(cuMemGetAddressRange_v2(&base, &length, address + 999));
    HOLDS(base == address && length == 1000);
    OK(cuMemGetAddressRange_v2(NULL, &length, address));
    EXPECT(CUDA_ERROR_NOT_FOUND, cuMemGetAddressRange_v2(&base, &length, (CUdeviceptr)(uintptr_t)&unknown));
    OK(cuPointerGetAttribute(&type, 2, address + 8));
    HOLDS(type == 2);
    OK(cuPointerGetAttribute(&ordinal, 9, address + 8));
    HOLDS(ordinal == 0);
    OK(cuPointerGetAttribute(&context, 1, address));
    HOLDS(context == own);
    OK(cuPointerGetAttribute(&base, 11, address + 8));
    OK(cuPointerGetAttribute(&length, 12, address + 8));
    HOLDS(base == address && length == 1000);
    EXPECT(CUDA_ERROR_INVALID_VALUE, cuPointerGetAttribute(&type, 2, (CUdeviceptr)(uintptr_t)&unknown));
    EXPECT(CUDA_ERROR_INVALID_VALUE, cuPointerGetAttribute(&base, 4, address));
}

static void kernels_reach_peers_when_enabled(void)
{
    CUcontext other = use_device(1);
    const CUdeviceptr address = device_memory(64);
    use_device(0);
    CUfunction function = probe_function("tl_probe");
    OK(cuCtxEnablePeerAccess(other, 0));
    OK(store(function, NULL, address + 8, 77));
    OK(cuCtxSynchronize());
    OK(cuCtxSetCurrent(other));
    HOLDS(device_word(address + 8) == 77);
}

static void kernels_do_not_reach_peers_before(void)
{
    CUcontext other = use_device(1);
    const CUdeviceptr address = device_memory(64);
    CUcontext own = use_device(0);
    CUfunction function = probe_function("tl_probe");
    OK(store(function, NULL, address, 77));
    EXPECT(CUDA_ERROR_ILLEGAL_ADDRESS, cuCtxSynchronize());
    HOLDS(own != other);
}

const struct rule memory_rules[] = {
    {"memory_has_an_end", memory_has_an_end, "MEMORY=1048576", 0, 0},
    {"new_memory_is_garbage", new_memory_is_garbage, NULL, 0, 0},
    {"large_memory_is_garbage_at_its_ends", large_memory_is_garbage_at_its_ends, NULL, 0, 0},
    {"a_cpu_must_not_look", a_cpu_must_not_look, NULL, 1, FAULTS},
    {"copies_arrive", copies_arrive, "DELAY_US=200 SEED=7", 1, 0},
    {"copies_cross_devices", copies_cross_devices, NULL, 2, 0},
    {"strictly_copies_by_unified_addresses_want_a_stream_of_their_context",
        strictly_copies_by_unified_addresses_want_a_stream_of_their_context, NULL, 0, 0},
    {"copies_stay_inside", copies_stay_inside, NULL, 0, 0},
    {"freeing_wants_the_start", freeing_wants_the_start, NULL, 1, 0},
    {"freeing_waits_for_work", freeing_waits_for_work, "DELAY_US=2000", 0, 0},
    {"addresses_are_known", addresses_are_known, NULL, 1, 0},
    {"kernels_reach_peers_when_enabled", kernels_reach_peers_when_enabled, NULL, 2, 0},
    {"kernels_do_not_reach_peers_before", kernels_do_not_reach_peers_before, NULL, 2, 0},
    {NULL, NULL, NULL, 0, 0}
};
