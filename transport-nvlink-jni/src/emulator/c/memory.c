/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */

/* Memory of the devices: who may touch it, and its allocation. */

#define _GNU_SOURCE

#include <unistd.h>

#include "emulator.h"

static const size_t LARGE_PAGE = 2u << 20;

enum
{
    /* Small allocations begin anywhere at a multiple of this. */
    ALIGNMENT = 512
};

const char TL_FILE_PREFIX[] = "tl-cuda";

static unsigned allocations;

bool tl_range_accessible(const struct tl_range *range, const struct tl_context *context)
{
    if (!range->for_kernels)
    {
        return false;
    }
    if (range->kind == TL_MAPPED)
    {
        return (range->access >> context->device & 1) != 0;
    }
    if (range->context == context || range->for_all_contexts)
    {
        return true;
    }
    return range->kind == TL_ALLOCATION && (context->peers >> range->device & 1) != 0;
}

static void give_back(struct tl_range *range)
{
    if (range->kind == TL_ALLOCATION)
    {
        range->context->used_bytes -= range->length;
    }
    tl_range_remove(range);
}

void tl_memory_release_context(struct tl_context *context)
{
    struct tl_range *range = tl_range_first();
    while (range != NULL)
    {
        struct tl_range *next = range->next;
        if (range->context == context && !range->removed)
        {
            give_back(range);
        }
        range = next;
    }
}

static CUresult allocate(struct tl_context *context, CUdeviceptr *address, size_t length)
{
    if (address == NULL || length == 0)
    {
        return CUDA_ERROR_INVALID_VALUE;
    }
    if (length > tl_device_bytes - context->used_bytes)
    {
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    uint64_t identity = 0;
    const size_t offset = length < LARGE_PAGE ? allocations++ % (TL_PAGE / ALIGNMENT) * ALIGNMENT : 0;
    const int fd = tl_range_file(TL_FILE_PREFIX, (offset + length + TL_PAGE - 1) / TL_PAGE * TL_PAGE, &identity);
    struct tl_range *range =
        fd < 0 ? NULL : tl_range_map(TL_ALLOCATION, context, context->device, fd, length, offset);
    if (range == NULL)
    {
        if (fd >= 0)
        {
            close(fd);
        }
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    range->identity = identity;
    tl_fill_garbage(range->mapping, range->mapping_bytes);
    context->used_bytes += length;
    *address = range->base;
    return CUDA_SUCCESS;
}

TL_EXPORT CUresult cuMemAlloc_v2(CUdeviceptr *address, size_t length)
{
    struct tl_context *context = NULL;
    CUresult result = tl_enter("cuMemAlloc_v2", &context);
    if (result == CUDA_SUCCESS)
    {
        result = allocate(context, address, length);
    }
    return tl_leave(result);
}

/* As the driver's, it waits for the work of the memory's context, which may use it. */
TL_EXPORT CUresult cuMemFree_v2(CUdeviceptr address)
{
    struct tl_context *context = NULL;
    CUresult result = tl_enter("cuMemFree_v2", &context);
    if (result != CUDA_SUCCESS || address == 0)
    {
        return tl_leave(result);
    }
    struct tl_range *range = tl_range_at(TL_ALLOCATION, address);
    if (range == NULL)
    {
        return tl_leave(CUDA_ERROR_INVALID_VALUE);
    }
    result = tl_context_wait(range->context);
    range = tl_range_at(TL_ALLOCATION, address);
    if (range == NULL)
    {
        tl_abort("two threads free the device memory at %#llx", (unsigned long long)address);
    }
    if (result == CUDA_SUCCESS)
    {
        give_back(range);
    }
    return tl_leave(result);
}

TL_EXPORT CUresult cuMemGetInfo_v2(size_t *free_bytes, size_t *total_bytes)
{
    struct tl_context *context = NULL;
    CUresult result = tl_enter("cuMemGetInfo_v2", &context);
    if (result == CUDA_SUCCESS)
    {
        *free_bytes = tl_device_bytes - context->used_bytes;
        *total_bytes = tl_device_bytes;
    }
    return tl_leave(result);
}
