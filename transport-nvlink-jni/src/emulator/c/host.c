/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */

/* Pinned host memory: allocated by the driver, or the caller's, registered. Its device address is the host's. */

#define _GNU_SOURCE

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "emulator.h"

enum
{
    FLAG_PORTABLE = 0x1,
    FLAG_DEVICE_MAP = 0x2,
    FLAGS_OF_ALLOCATION = 0x7,
    FLAGS_OF_REGISTRATION = 0xf
};

static uint64_t page_of(uint64_t address)
{
    return address / TL_PAGE * TL_PAGE;
}

/* Whether one of these bytes is pinned already; pages may be pinned several times over. */
static bool overlaps_pinned(uint64_t from, uint64_t to)
{
    for (const struct tl_range *range = tl_range_first(); range != NULL; range = range->next)
    {
        if (!range->removed && (range->kind == TL_PINNED || range->kind == TL_REGISTERED) &&
            from < range->base + range->length && range->base < to)
        {
            return true;
        }
    }
    return false;
}

static bool is_mapped(uint64_t from, uint64_t to)
{
    const size_t pages = (size_t)(to - from) / TL_PAGE;
    unsigned char *resident = malloc(pages);
    if (resident == NULL)
    {
        return false;
    }
    const bool mapped = mincore((void *)(uintptr_t)from, (size_t)(to - from), resident) == 0;
    free(resident);
    return mapped;
}

/*
 * What is allocated here is usable on all devices whatever the flags say, as with a unified address space. Real
 * drivers treat registered memory so as well; here it is held to its flags, since older ones did not.
 */
TL_EXPORT CUresult cuMemHostAlloc(void **address, size_t length, unsigned flags)
{
    struct tl_context *context = NULL;
    CUresult result = tl_enter("cuMemHostAlloc", &context);
    if (result != CUDA_SUCCESS)
    {
        return tl_leave(result);
    }
    if (address == NULL || (flags & ~(unsigned)FLAGS_OF_ALLOCATION) != 0)
    {
        return tl_leave(CUDA_ERROR_INVALID_VALUE);
    }
    if (length == 0)
    {
        *address = NULL;
        return tl_leave(CUDA_SUCCESS);
    }
    void *memory = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
    {
        return tl_leave(CUDA_ERROR_OUT_OF_MEMORY);
    }
    struct tl_range *range = tl_range_host(TL_PINNED, context, context->device, memory, length);
    if (range == NULL)
    {
        munmap(memory, length);
        return tl_leave(CUDA_ERROR_OUT_OF_MEMORY);
    }
    range->for_all_contexts = true;
    range->for_kernels = true;
    tl_fill_garbage(memory, length);
    *address = memory;
    return tl_leave(CUDA_SUCCESS);
}

/* Like the driver (seen on an H100) it waits for all work of the memory's context. */
static CUresult remove_after_work(enum tl_range_kind kind, const struct tl_range *range)
{
    const uint64_t base = range->base;
    const CUresult result = tl_context_wait(range->context);
    struct tl_range *again = tl_range_at(kind, base);
    if (again == NULL)
    {
        tl_abort("two threads free the host memory at %#llx", (unsigned long long)base);
    }
    if (result == CUDA_SUCCESS)
    {
        tl_range_remove_unused(again);
    }
    return result;
}

TL_EXPORT CUresult cuMemFreeHost(void *address)
{
    struct tl_context *context = NULL;
    CUresult result = tl_enter("cuMemFreeHost", &context);
    if (result == CUDA_SUCCESS && address != NULL)
    {
        struct tl_range *range = tl_range_at(TL_PINNED, (uint64_t)(uintptr_t)address);
        if (range == NULL)
        {
            return tl_leave(CUDA_ERROR_INVALID_VALUE);
        }
        result = remove_after_work(TL_PINNED, range);
    }
    return tl_leave(result);
}

static CUresult register_memory(struct tl_context *context, void *address, size_t length, unsigned flags)
{
    const uint64_t from = page_of((uint64_t)(uintptr_t)address);
    const uint64_t to = page_of((uint64_t)(uintptr_t)address + length + TL_PAGE - 1);
    if (address == NULL || length == 0 || to < from || (flags & ~(unsigned)FLAGS_OF_REGISTRATION) != 0 ||
        tl_in_device_space(from) || !is_mapped(from, to))
    {
        return CUDA_ERROR_INVALID_VALUE;
    }
    const uint64_t base = (uint64_t)(uintptr_t)address;
    if (overlaps_pinned(base, base + length))
    {
        return CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED;
    }
    struct tl_range *range = tl_range_host(TL_REGISTERED, context, context->device, address, length);
    if (range == NULL)
    {
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    range->for_all_contexts = (flags & FLAG_PORTABLE) != 0;
    range->for_kernels = (flags & FLAG_DEVICE_MAP) != 0;
    return CUDA_SUCCESS;
}

TL_EXPORT CUresult cuMemHostRegister_v2(void *address, size_t length, unsigned flags)
{
    struct tl_context *context = NULL;
    CUresult result = tl_enter("cuMemHostRegister_v2", &context);
    if (result == CUDA_SUCCESS)
    {
        result = register_memory(context, address, length, flags);
    }
    return tl_leave(result);
}

TL_EXPORT CUresult cuMemHostUnregister(void *address)
{
    struct tl_context *context = NULL;
    CUresult result = tl_enter("cuMemHostUnregister", &context);
    if (result == CUDA_SUCCESS)
    {
        struct tl_range *range = tl_range_at(TL_REGISTERED, (uint64_t)(uintptr_t)address);
        if (range == NULL)
        {
            return tl_leave(CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED);
        }
        result = remove_after_work(TL_REGISTERED, range);
    }
    return tl_leave(result);
}

TL_EXPORT CUresult cuMemHostGetDevicePointer_v2(CUdeviceptr *device_address, void *address, unsigned flags)
{
    struct tl_context *context = NULL;
    CUresult result = tl_enter("cuMemHostGetDevicePointer_v2", &context);
    if (result == CUDA_SUCCESS)
    {
        const struct tl_range *range = tl_range_find((uint64_t)(uintptr_t)address, 0);
        if (device_address == NULL || flags != 0 || range == NULL || range->delta != 0 ||
            !tl_range_accessible(range, context))
        {
            return tl_leave(CUDA_ERROR_INVALID_VALUE);
        }
        *device_address = (uint64_t)(uintptr_t)address;
    }
    return tl_leave(result);
}
