/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */

/* What the driver tells about an address. */

#include "emulator.h"

enum
{
    ATTRIBUTE_CONTEXT = 1,
    ATTRIBUTE_MEMORY_TYPE = 2,
    ATTRIBUTE_DEVICE_POINTER = 3,
    ATTRIBUTE_HOST_POINTER = 4,
    ATTRIBUTE_IS_MANAGED = 8,
    ATTRIBUTE_DEVICE_ORDINAL = 9,
    ATTRIBUTE_IPC_CAPABLE = 10,
    ATTRIBUTE_RANGE_START = 11,
    ATTRIBUTE_RANGE_SIZE = 12,
    ATTRIBUTE_MAPPED = 13,
    ATTRIBUTE_ALLOWED_HANDLE_TYPES = 14,
    MEMORY_TYPE_HOST = 1,
    MEMORY_TYPE_DEVICE = 2
};

static bool on_device(const struct tl_range *range)
{
    return range->kind == TL_ALLOCATION || range->kind == TL_IMPORT || range->kind == TL_MAPPED;
}

TL_EXPORT CUresult cuMemGetAddressRange_v2(CUdeviceptr *base, size_t *length, CUdeviceptr address)
{
    struct tl_context *context = NULL;
    CUresult result = tl_enter("cuMemGetAddressRange_v2", &context);
    if (result == CUDA_SUCCESS)
    {
        const struct tl_range *range = tl_range_find(address, 0);
        if (range == NULL || range->kind == TL_REGISTERED)
        {
            return tl_leave(CUDA_ERROR_NOT_FOUND);
        }
        if (base != NULL)
        {
            *base = range->base;
        }
        if (length != NULL)
        {
            *length = range->length;
        }
    }
    return tl_leave(result);
}

static CUresult attribute_of(const struct tl_range *range, int attribute, CUdeviceptr address, void *data)
{
    /* The driver tells of the whole reservation here, not of the mapping. */
    if (range->kind == TL_MAPPED && (attribute == ATTRIBUTE_RANGE_START || attribute == ATTRIBUTE_RANGE_SIZE))
    {
        return CUDA_ERROR_NOT_SUPPORTED;
    }
    switch (attribute)
    {
        case ATTRIBUTE_CONTEXT:
            *(CUcontext *)data = range->context;
            return CUDA_SUCCESS;
        case ATTRIBUTE_MEMORY_TYPE:
            *(unsigned *)data = on_device(range) ? MEMORY_TYPE_DEVICE : MEMORY_TYPE_HOST;
            return CUDA_SUCCESS;
        case ATTRIBUTE_DEVICE_POINTER:
            *(CUdeviceptr *)data = address;
            return range->for_kernels ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
        case ATTRIBUTE_HOST_POINTER:
            *(void **)data = (void *)(uintptr_t)address;
            return on_device(range) ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
        case ATTRIBUTE_IS_MANAGED:
            *(unsigned *)data = 0;
            return CUDA_SUCCESS;
        case ATTRIBUTE_DEVICE_ORDINAL:
            /* As the driver has it: an import counts as memory of the device that opened it. */
            *(int *)data = range->kind == TL_IMPORT ? range->context->device : range->device;
            return CUDA_SUCCESS;
        case ATTRIBUTE_IPC_CAPABLE:
            *(bool *)data = range->kind == TL_ALLOCATION;
            return CUDA_SUCCESS;
        case ATTRIBUTE_RANGE_START:
            *(CUdeviceptr *)data = range->base;
            return CUDA_SUCCESS;
        case ATTRIBUTE_RANGE_SIZE:
            *(size_t *)data = range->length;
            return CUDA_SUCCESS;
        case ATTRIBUTE_MAPPED:
            *(bool *)data = true;
            return CUDA_SUCCESS;
        case ATTRIBUTE_ALLOWED_HANDLE_TYPES:
            *(uint64_t *)data = range->kind == TL_MAPPED && tl_physical_exportable(range->physical) ? 1 : 0;
            return CUDA_SUCCESS;
        default:
            return CUDA_ERROR_NOT_SUPPORTED;
    }
}

TL_EXPORT CUresult cuPointerGetAttribute(void *data, int attribute, CUdeviceptr address)
{
    struct tl_context *context = NULL;
    CUresult result = tl_enter("cuPointerGetAttribute", &context);
    if (result == CUDA_SUCCESS)
    {
        const struct tl_range *range = tl_range_find(address, 0);
        result = range == NULL ? CUDA_ERROR_INVALID_VALUE : attribute_of(range, attribute, address, data);
    }
    return tl_leave(result);
}
