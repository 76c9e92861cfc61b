/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */

/* Pinned host memory. */

#define _GNU_SOURCE

#include <string.h>
#include <sys/mman.h>

#include "rules.h"

enum
{
    PORTABLE_AND_MAPPED = 3
};

static void *pages(size_t count)
{
    void *memory = mmap(NULL, count * TL_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    HOLDS(memory != MAP_FAILED);
    return memory;
}

static void pinned_memory_is_the_devices_too(void)
{
    uint64_t *words = NULL;
    CUdeviceptr address = 0;
    unsigned type = 0;
    use_device(0);
    OK(cuMemHostAlloc((void **)&words, 0, PORTABLE_AND_MAPPED));
    OK(cuMemHostAlloc((void **)&words, 4096, PORTABLE_AND_MAPPED));
    OK(cuMemHostGetDevicePointer_v2(&address, words, 0));
    HOLDS(address == (CUdeviceptr)(uintptr_t)words);
    OK(cuPointerGetAttribute(&type, 2, address));
    HOLDS(type == 1);
    words[1] = 0;
    OK(store(probe_function("tl_probe"), NULL, address + 8, 42));
    OK(cuCtxSynchronize());
    HOLDS(words[1] == 42);
    OK(cuMemFreeHost(words));
}

static void pinned_memory_is_every_contexts(void)
{
    uint64_t *words = NULL;
    CUdeviceptr address = 0;
    use_device(0);
    OK(cuMemHostAlloc((void **)&words, 64, 0));
    use_device(1);
    words[0] = 0;
    OK(cuMemHostGetDevicePointer_v2(&address, words, 0));
    OK(store(probe_function("tl_probe"), NULL, address, 43));
    OK(cuCtxSynchronize());
    HOLDS(words[0] == 43);
}

static void pinned_memory_is_freed_by_its_start(void)
{
    char *memory = NULL;
    CUdeviceptr address = 0;
    use_device(0);
    OK(cuMemHostAlloc((void **)&memory, 8192, PORTABLE_AND_MAPPED));
    EXPECT(CUDA_ERROR_INVALID_VALUE, cuMemFreeHost(memory + 4096));
    OK(cuMemFreeHost(memory));
    EXPECT(CUDA_ERROR_INVALID_VALUE, cuMemHostGetDevicePointer_v2(&address, memory, 0));
}

static void registered_memory_is_registered_once(void)
{
    CUdeviceptr address = 0;
    char *memory = pages(4);
    use_device(0);
    EXPECT(CUDA_ERROR_INVALID_VALUE, cuMemHostGetDevicePointer_v2(&address, memory, 0));
    OK(cuMemHostRegister_v2(memory + 100, 200, PORTABLE_AND_MAPPED));
    EXPECT(CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED, cuMemHostRegister_v2(memory + 100, 200, PORTABLE_AND_MAPPED));
    OK(cuMemHostGetDevicePointer_v2(&address, memory + 100, 0));
    HOLDS(address == (CUdeviceptr)(uintptr_t)(memory + 100));
    EXPECT(CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED, cuMemHostUnregister(memory + TL_PAGE));
    OK(cuMemHostUnregister(memory + 100));
    EXPECT(CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED, cuMemHostUnregister(memory + 100));
    OK(cuMemHostRegister_v2(memory, 4 * TL_PAGE, PORTABLE_AND_MAPPED));
    memset(memory, 0, 8);
    OK(store(probe_function("tl_probe"), NULL, (CUdeviceptr)(uintptr_t)memory, 44));
    OK(cuCtxSynchronize());
    HOLDS(*(uint64_t *)(void *)memory == 44);
}

static void registered_memory_may_share_pages(void)
{
    CUdeviceptr address = 0;
    char *memory = pages(4);
    use_device(0);
    OK(cuMemHostRegister_v2(memory + 100, 200, PORTABLE_AND_MAPPED));
    OK(cuMemHostRegister_v2(memory + 1000, 8, PORTABLE_AND_MAPPED));
    OK(cuMemHostRegister_v2(memory + TL_PAGE, TL_PAGE, PORTABLE_AND_MAPPED));
    OK(cuMemHostUnregister(memory + TL_PAGE));
    OK(cuMemHostUnregister(memory + 100));
    OK(cuMemHostGetDevicePointer_v2(&address, memory + 1000, 0));
    OK(cuMemHostUnregister(memory + 1000));
}

static void strictly_registered_bytes_do_not_overlap(void)
{
    char *memory = pages(1);
    use_device(0);
    OK(cuMemHostRegister_v2(memory + 100, 200, PORTABLE_AND_MAPPED));
    EXPECT(CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED, cuMemHostRegister_v2(memory + 299, 8, PORTABLE_AND_MAPPED));
    OK(cuMemHostRegister_v2(memory + 300, 8, PORTABLE_AND_MAPPED));
}

static void memory_must_be_there_to_be_registered(void)
{
    char *memory = pages(2);
    use_device(0);
    HOLDS(munmap(memory + TL_PAGE, TL_PAGE) == 0);
    EXPECT(CUDA_ERROR_INVALID_VALUE, cuMemHostRegister_v2(memory, 2 * TL_PAGE, PORTABLE_AND_MAPPED));
    EXPECT(CUDA_ERROR_INVALID_VALUE, cuMemHostRegister_v2(memory, 0, PORTABLE_AND_MAPPED));
    EXPECT(CUDA_ERROR_INVALID_VALUE, cuMemHostRegister_v2(NULL, TL_PAGE, PORTABLE_AND_MAPPED));
}

static void strictly_flags_of_registered_memory_count(void)
{
    CUdeviceptr address = 0;
    char *unmapped = pages(1);
    char *own = pages(1);
    use_device(0);
    OK(cuMemHostRegister_v2(unmapped, 8, 1));
    EXPECT(CUDA_ERROR_INVALID_VALUE, cuMemHostGetDevicePointer_v2(&address, unmapped, 0));
    OK(cuMemHostRegister_v2(own, 8, 2));
    OK(cuMemHostGetDevicePointer_v2(&address, own, 0));
    use_device(1);
    EXPECT(CUDA_ERROR_INVALID_VALUE, cuMemHostGetDevicePointer_v2(&address, own, 0));
    OK(store(probe_function("tl_probe"), NULL, (CUdeviceptr)(uintptr_t)own, 1));
    EXPECT(CUDA_ERROR_ILLEGAL_ADDRESS, cuCtxSynchronize());
}

static void kernels_do_not_reach_other_memory(void)
{
    char *memory = pages(1);
    use_device(0);
    OK(store(probe_function("tl_probe"), NULL, (CUdeviceptr)(uintptr_t)memory, 1));
    EXPECT(CUDA_ERROR_ILLEGAL_ADDRESS, cuCtxSynchronize());
}

static void strictly_asynchronous_copies_want_pinned_memory(void)
{
    uint64_t word = 0;
    use_device(0);
    const CUdeviceptr address = device_memory(8);
    OK(cuMemcpyAsync(address, (CUdeviceptr)(uintptr_t)&word, 8, NULL));
    EXPECT(CUDA_ERROR_ILLEGAL_ADDRESS, cuCtxSynchronize());
}

static void unregistering_waits_for_the_kernel(void)
{
    use_device(0);
    uint64_t *word = pages(1);
    CUstream stream = stream_of(1);
    OK(cuMemHostRegister_v2(word, TL_PAGE, PORTABLE_AND_MAPPED));
    OK(store(probe_function("tl_probe"), stream, (CUdeviceptr)(uintptr_t)(word + 1), 8));
    OK(cuStreamSynchronize(stream));
    OK(cuMemHostUnregister(word));
    HOLDS(munmap(word, TL_PAGE) == 0);
}

const struct rule host_rules[] = {
    {"pinned_memory_is_the_devices_too", pinned_memory_is_the_devices_too, NULL, 1, 0},
    {"pinned_memory_is_every_contexts", pinned_memory_is_every_contexts, NULL, 2, 0},
    {"pinned_memory_is_freed_by_its_start", pinned_memory_is_freed_by_its_start, NULL, 1, 0},
    {"registered_memory_is_registered_once", registered_memory_is_registered_once, NULL, 1, 0},
    {"registered_memory_may_share_pages", registered_memory_may_share_pages, NULL, 1, 0},
    {"strictly_registered_bytes_do_not_overlap", strictly_registered_bytes_do_not_overlap, NULL, 0, 0},
    {"memory_must_be_there_to_be_registered", memory_must_be_there_to_be_registered, NULL, 1, 0},
    {"strictly_flags_of_registered_memory_count", strictly_flags_of_registered_memory_count, NULL, 0, 0},
    {"kernels_do_not_reach_other_memory", kernels_do_not_reach_other_memory, NULL, 1, 0},
    {"strictly_asynchronous_copies_want_pinned_memory", strictly_asynchronous_copies_want_pinned_memory, NULL, 0, 0},
    {"unregistering_waits_for_the_kernel", unregistering_waits_for_the_kernel, NULL, 1, 0},
    {NULL, NULL, NULL, 0, 0}
};
