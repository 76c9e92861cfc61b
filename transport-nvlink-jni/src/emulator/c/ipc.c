/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */

/*
 * Device memory between processes. A handle names the exporter's process and its open file, which another process of
 * the same user opens by /proc; the file's name holds a random number, so that a number of a process or of a file that
 * is used again is not taken for the old one. Nothing outlives the processes that map it.
 */

#define _GNU_SOURCE

#include <string.h>
#include <unistd.h>

#include "emulator.h"

enum
{
    LAZY_PEER_ACCESS = 1
};

static const uint64_t MAGIC = 0x544c2d6375646131;

struct handle
{
    uint64_t magic;
    uint64_t identity;
    uint64_t length;
    uint64_t offset;
    int32_t process;
    int32_t fd;
    int32_t device;
    int32_t unused[3];
};

_Static_assert(sizeof(struct handle) <= sizeof(CUipcMemHandle), "handle");

/* Only the start of an allocation has a handle: what real drivers do with other addresses is nowhere promised. */
TL_EXPORT CUresult cuIpcGetMemHandle(CUipcMemHandle *handle, CUdeviceptr address)
{
    struct tl_context *context = NULL;
    CUresult result = tl_enter("cuIpcGetMemHandle", &context);
    if (result == CUDA_SUCCESS)
    {
        const struct tl_range *range = tl_range_find(address, 0);
        if (handle == NULL || range == NULL || range->kind != TL_ALLOCATION || range->base != address)
        {
            return tl_leave(CUDA_ERROR_INVALID_VALUE);
        }
        const struct handle made = {
            .magic = MAGIC,
            .identity = range->identity,
            .length = range->length,
            .offset = range->base % TL_PAGE,
            .process = getpid(),
            .fd = range->fd,
            .device = range->device,
        };
        memset(handle, 0, sizeof *handle);
        memcpy(handle, &made, sizeof made);
    }
    return tl_leave(result);
}

static struct tl_range *import_of(const struct tl_context *context, uint64_t identity)
{
    for (struct tl_range *range = tl_range_first(); range != NULL; range = range->next)
    {
        if (!range->removed && range->kind == TL_IMPORT && range->context == context && range->identity == identity)
        {
            return range;
        }
    }
    return NULL;
}

static CUresult open_handle(struct tl_context *context, const struct handle *handle, CUdeviceptr *address)
{
    if (handle->magic != MAGIC || handle->device < 0 || handle->device >= tl_device_count)
    {
        return CUDA_ERROR_INVALID_VALUE;
    }
    if (handle->process == getpid())
    {
        return CUDA_ERROR_INVALID_CONTEXT;
    }
    if (handle->device != context->device && !tl_can_access_peer(context->device, handle->device))
    {
        return CUDA_ERROR_PEER_ACCESS_UNSUPPORTED;
    }
    struct tl_range *range = import_of(context, handle->identity);
    if (range != NULL)
    {
        range->opened++;
        *address = range->base;
        return CUDA_SUCCESS;
    }
    const int fd = tl_range_open_file(TL_FILE_PREFIX, handle->process, handle->fd, handle->identity);
    if (fd < 0)
    {
        return CUDA_ERROR_INVALID_HANDLE;
    }
    range = tl_range_map(TL_IMPORT, context, handle->device, fd, handle->length, handle->offset);
    if (range == NULL)
    {
        close(fd);
        return CUDA_ERROR_MAP_FAILED;
    }
    range->identity = handle->identity;
    range->opened = 1;
    *address = range->base;
    return CUDA_SUCCESS;
}

TL_EXPORT CUresult cuIpcOpenMemHandle_v2(CUdeviceptr *address, CUipcMemHandle bytes, unsigned flags)
{
    struct tl_context *context = NULL;
    CUresult result = tl_enter("cuIpcOpenMemHandle_v2", &context);
    if (result == CUDA_SUCCESS)
    {
        struct handle handle;
        memcpy(&handle, &bytes, sizeof handle);
        result = address == NULL || flags != LAZY_PEER_ACCESS ? CUDA_ERROR_INVALID_VALUE :
            open_handle(context, &handle, address);
    }
    return tl_leave(result);
}

/* The last closing waits for the context's work, which may use the memory. */
TL_EXPORT CUresult cuIpcCloseMemHandle(CUdeviceptr address)
{
    struct tl_context *context = NULL;
    CUresult result = tl_enter("cuIpcCloseMemHandle", &context);
    if (result != CUDA_SUCCESS)
    {
        return tl_leave(result);
    }
    struct tl_range *range = tl_range_at(TL_IMPORT, address);
    if (range == NULL || range->context != context)
    {
        return tl_leave(CUDA_ERROR_INVALID_VALUE);
    }
    if (range->opened > 1)
    {
        range->opened--;
        return tl_leave(CUDA_SUCCESS);
    }
    result = tl_context_wait(context);
    range = tl_range_at(TL_IMPORT, address);
    if (range == NULL)
    {
        tl_abort("two threads close the imported memory at %#llx", (unsigned long long)address);
    }
    if (result == CUDA_SUCCESS)
    {
        tl_range_remove(range);
    }
    return tl_leave(result);
}
