/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */

/* The devices' primary contexts, the only ones that this driver has. */

#include <string.h>

#include "emulator.h"

struct tl_context tl_contexts[TL_MOST_DEVICES];

static _Thread_local struct tl_context *current;

struct tl_context *tl_current_context(void)
{
    return current;
}

bool tl_is_context(const void *context)
{
    for (int device = 0; device < tl_device_count; device++)
    {
        if (context == &tl_contexts[device])
        {
            return true;
        }
    }
    return false;
}

TL_EXPORT CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device)
{
    CUresult result = tl_enter("cuDevicePrimaryCtxRetain", NULL);
    if (result == CUDA_SUCCESS && (device < 0 || device >= tl_device_count))
    {
        result = CUDA_ERROR_INVALID_DEVICE;
    }
    if (result == CUDA_SUCCESS)
    {
        tl_contexts[device].references++;
        *context = &tl_contexts[device];
    }
    return tl_leave(result);
}

/* The sticky error stays: as the driver's documents have it, only a new process is rid of it. */
static void destroy(struct tl_context *context)
{
    tl_context_wait(context);
    tl_streams_release_context(context);
    tl_events_release_context(context);
    tl_graphs_release_context(context);
    tl_modules_release_context(context);
    tl_memory_release_context(context);
    context->peers = 0;
    for (int device = 0; device < tl_device_count; device++)
    {
        tl_contexts[device].peers &= ~(1ull << context->device);
    }
}

TL_EXPORT CUresult cuDevicePrimaryCtxRelease_v2(CUdevice device)
{
    CUresult result = tl_enter("cuDevicePrimaryCtxRelease_v2", NULL);
    if (result == CUDA_SUCCESS && (device < 0 || device >= tl_device_count))
    {
        result = CUDA_ERROR_INVALID_DEVICE;
    }
    if (result == CUDA_SUCCESS && tl_contexts[device].references == 0)
    {
        result = CUDA_ERROR_INVALID_CONTEXT;
    }
    if (result == CUDA_SUCCESS)
    {
        tl_contexts[device].references--;
        if (tl_contexts[device].references == 0)
        {
            destroy(&tl_contexts[device]);
        }
    }
    return tl_leave(result);
}

TL_EXPORT CUresult cuDevicePrimaryCtxSetFlags_v2(CUdevice device, unsigned flags)
{
    CUresult result = tl_enter("cuDevicePrimaryCtxSetFlags_v2", NULL);
    if (result == CUDA_SUCCESS && (device < 0 || device >= tl_device_count))
    {
        result = CUDA_ERROR_INVALID_DEVICE;
    }
    /* How a thread waits is one choice of four; two more bits are for mapped host memory and local memory. */
    const unsigned waits = flags & 0x7;
    if (result == CUDA_SUCCESS && ((flags & ~0x1fu) != 0 || (waits & (waits - 1)) != 0))
    {
        result = CUDA_ERROR_INVALID_VALUE;
    }
    return tl_leave(result);
}

TL_EXPORT CUresult cuCtxSetCurrent(CUcontext context)
{
    CUresult result = tl_enter("cuCtxSetCurrent", NULL);
    if (result == CUDA_SUCCESS && context != NULL &&
        (!tl_is_context(context) || ((struct tl_context *)context)->references == 0))
    {
        result = CUDA_ERROR_INVALID_CONTEXT;
    }
    if (result == CUDA_SUCCESS)
    {
        current = context;
    }
    return tl_leave(result);
}

TL_EXPORT CUresult cuCtxGetCurrent(CUcontext *context)
{
    CUresult result = tl_enter("cuCtxGetCurrent", NULL);
    if (result == CUDA_SUCCESS)
    {
        *context = current;
    }
    return tl_leave(result);
}

TL_EXPORT CUresult cuCtxSynchronize(void)
{
    struct tl_context *context = NULL;
    CUresult result = tl_enter("cuCtxSynchronize", &context);
    if (result == CUDA_SUCCESS)
    {
        result = tl_context_wait(context);
    }
    return tl_leave(result);
}

TL_EXPORT CUresult cuCtxEnablePeerAccess(CUcontext peer, unsigned flags)
{
    struct tl_context *context = NULL;
    CUresult result = tl_enter("cuCtxEnablePeerAccess", &context);
    if (result != CUDA_SUCCESS)
    {
        return tl_leave(result);
    }
    if (flags != 0)
    {
        return tl_leave(CUDA_ERROR_INVALID_VALUE);
    }
    if (!tl_is_context(peer) || ((struct tl_context *)peer)->references == 0)
    {
        return tl_leave(CUDA_ERROR_INVALID_CONTEXT);
    }
    const int device = ((struct tl_context *)peer)->device;
    if (!tl_can_access_peer(context->device, device))
    {
        return tl_leave(CUDA_ERROR_PEER_ACCESS_UNSUPPORTED);
    }
    if ((context->peers >> device & 1) != 0)
    {
        return tl_leave(CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED);
    }
    context->peers |= 1ull << device;
    return tl_leave(CUDA_SUCCESS);
}
