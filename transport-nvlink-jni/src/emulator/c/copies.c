/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */

/* Copies and sets. */

#define _GNU_SOURCE

#include <stdlib.h>
#include <string.h>

#include "emulator.h"

static bool on_device(CUdeviceptr address, size_t length)
{
    return tl_in_device_space(address) && tl_span_known(address, length);
}

/*
 * A synchronous copy goes through the legacy default stream: it waits for that one and for the streams ordered with
 * it, not for those created as non-blocking.
 */
static CUresult copy_now(struct tl_context *context, CUdeviceptr device, void *host, size_t length, bool to_device)
{
    if (length == 0)
    {
        return CUDA_SUCCESS;
    }
    if (host == NULL || tl_in_device_space((uint64_t)(uintptr_t)host) || !on_device(device, length))
    {
        return CUDA_ERROR_INVALID_VALUE;
    }
    const CUresult result = tl_legacy_wait(context);
    struct tl_span span;
    if (result != CUDA_SUCCESS || !tl_span_hold(&span, device, length))
    {
        return result != CUDA_SUCCESS ? result : CUDA_ERROR_INVALID_VALUE;
    }
    void *view = tl_span_view(&span, device);
    pthread_mutex_unlock(&tl_lock);
    memcpy(to_device ? view : host, to_device ? host : view, length);
    pthread_mutex_lock(&tl_lock);
    tl_span_release(&span);
    return CUDA_SUCCESS;
}

TL_EXPORT CUresult cuMemcpyHtoD_v2(CUdeviceptr target, const void *source, size_t length)
{
    struct tl_context *context = NULL;
    CUresult result = tl_enter("cuMemcpyHtoD_v2", &context);
    if (result == CUDA_SUCCESS)
    {
        result = copy_now(context, target, (void *)(uintptr_t)source, length, true);
    }
    return tl_leave(result);
}

TL_EXPORT CUresult cuMemcpyDtoH_v2(void *target, CUdeviceptr source, size_t length)
{
    struct tl_context *context = NULL;
    CUresult result = tl_enter("cuMemcpyDtoH_v2", &context);
    if (result == CUDA_SUCCESS)
    {
        result = copy_now(context, source, target, length, false);
    }
    return tl_leave(result);
}

static CUresult submit(struct tl_stream *stream, const struct tl_task *task)
{
    if (stream == NULL)
    {
        return CUDA_ERROR_INVALID_HANDLE;
    }
    if (task->length == 0)
    {
        return CUDA_SUCCESS;
    }
    struct tl_task *queued = malloc(sizeof *queued);
    if (queued == NULL)
    {
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    *queued = *task;
    return tl_stream_submit(stream, queued);
}

/* The driver looks at the addresses of a copy when it is submitted, as far as they are a device's. */
static bool known_if_device(CUdeviceptr address, size_t length)
{
    return length == 0 || !tl_in_device_space(address) || tl_span_known(address, length);
}

/*
 * Stricter than a real driver, which copies through a buffer of its own where host memory is not pinned (and then waits
 * or not, as it sees fit): that is an illegal address here. A stream of another context is refused, as by a launch.
 */
TL_EXPORT CUresult cuMemcpyAsync(CUdeviceptr target, CUdeviceptr source, size_t length, CUstream stream)
{
    struct tl_context *context = NULL;
    CUresult result = tl_enter("cuMemcpyAsync", &context);
    if (result == CUDA_SUCCESS)
    {
        const struct tl_task task = {.kind = TL_TASK_COPY, .target = target, .source = source, .length = length};
        result = known_if_device(target, length) && known_if_device(source, length) ?
            submit(tl_stream_find(context, stream), &task) : CUDA_ERROR_INVALID_VALUE;
    }
    return tl_leave(result);
}

/* As with the driver, the stream may be another context's, which then does the work. */
TL_EXPORT CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr target, CUdeviceptr source, size_t length, CUstream stream)
{
    struct tl_context *context = NULL;
    CUresult result = tl_enter("cuMemcpyDtoDAsync_v2", &context);
    if (result == CUDA_SUCCESS)
    {
        const struct tl_task task = {.kind = TL_TASK_COPY, .target = target, .source = source, .length = length};
        result = on_device(target, length) && on_device(source, length) ?
            submit(tl_stream_find_of_any(context, stream), &task) : CUDA_ERROR_INVALID_VALUE;
    }
    return tl_leave(result);
}

/* Another context's stream is a wrong value to the driver here, where a launch calls it a wrong handle. */
static CUresult set(struct tl_context *context, CUdeviceptr target, unsigned char value, size_t length, CUstream handle)
{
    struct tl_stream *stream = tl_stream_find_of_any(context, handle);
    const struct tl_task task = {.kind = TL_TASK_SET, .target = target, .value = value, .length = length};
    const bool foreign = stream != NULL && stream->context != context;
    return !foreign && tl_span_known(target, length) ? submit(stream, &task) : CUDA_ERROR_INVALID_VALUE;
}

/* Not synchronous, whatever its name says: it is submitted to the legacy default stream. */
TL_EXPORT CUresult cuMemsetD8_v2(CUdeviceptr target, unsigned char value, size_t length)
{
    struct tl_context *context = NULL;
    CUresult result = tl_enter("cuMemsetD8_v2", &context);
    if (result == CUDA_SUCCESS)
    {
        result = set(context, target, value, length, NULL);
    }
    return tl_leave(result);
}

TL_EXPORT CUresult cuMemsetD8Async(CUdeviceptr target, unsigned char value, size_t length, CUstream stream)
{
    struct tl_context *context = NULL;
    CUresult result = tl_enter("cuMemsetD8Async", &context);
    if (result == CUDA_SUCCESS)
    {
        result = set(context, target, value, length, stream);
    }
    return tl_leave(result);
}
