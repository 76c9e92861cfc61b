/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */

/* Events: a record makes a mark in a stream; a wait is for the mark that is the last one when it is asked for. */

#define _GNU_SOURCE

#include <stdlib.h>

#include "emulator.h"

enum
{
    FLAG_NO_TIMING = 0x2,
    FLAG_INTERPROCESS = 0x4,
    FLAGS_OF_EVENT = 0x7
};

struct event
{
    struct tl_context *context;
    struct tl_mark *mark;
};

static CUresult submit(struct tl_stream *stream, enum tl_task_kind kind, struct tl_mark *mark)
{
    struct tl_task *task = calloc(1, sizeof *task);
    if (task == NULL)
    {
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    task->kind = kind;
    task->mark = mark;
    mark->references++;
    return tl_stream_submit(stream, task);
}

static CUresult record(struct event *event, struct tl_stream *stream)
{
    struct tl_mark *mark = calloc(1, sizeof *mark);
    if (mark == NULL)
    {
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    mark->references = 1;
    if (event->mark != NULL)
    {
        tl_mark_release(event->mark);
    }
    event->mark = mark;
    return submit(stream, TL_TASK_RECORD, mark);
}

static void destroy(void *handle, struct event *event)
{
    tl_handle_destroy(handle);
    if (event->mark != NULL)
    {
        tl_mark_release(event->mark);
    }
    free(event);
}

static void destroy_if_of_context(void *handle, void *object, void *context)
{
    struct event *event = object;
    if (event->context == context)
    {
        destroy(handle, event);
    }
}

void tl_events_release_context(struct tl_context *context)
{
    tl_handle_each(TL_EVENT, destroy_if_of_context, context);
}

TL_EXPORT CUresult cuEventCreate(CUevent *handle, unsigned flags)
{
    struct tl_context *context = NULL;
    CUresult result = tl_enter("cuEventCreate", &context);
    if (result != CUDA_SUCCESS)
    {
        return tl_leave(result);
    }
    if (handle == NULL || (flags & ~(unsigned)FLAGS_OF_EVENT) != 0 ||
        (flags & (FLAG_NO_TIMING | FLAG_INTERPROCESS)) == FLAG_INTERPROCESS)
    {
        return tl_leave(CUDA_ERROR_INVALID_VALUE);
    }
    struct event *event = calloc(1, sizeof *event);
    if (event == NULL)
    {
        return tl_leave(CUDA_ERROR_OUT_OF_MEMORY);
    }
    event->context = context;
    *handle = tl_handle_create(TL_EVENT, event);
    return tl_leave(CUDA_SUCCESS);
}

/* Event and stream are of one context. */
TL_EXPORT CUresult cuEventRecord(CUevent handle, CUstream stream_handle)
{
    struct tl_context *context = NULL;
    CUresult result = tl_enter("cuEventRecord", &context);
    if (result == CUDA_SUCCESS)
    {
        struct event *event = tl_handle_find(TL_EVENT, handle);
        struct tl_stream *stream = tl_stream_find(context, stream_handle);
        result = event == NULL || stream == NULL || event->context != context ? CUDA_ERROR_INVALID_HANDLE :
            record(event, stream);
    }
    return tl_leave(result);
}

/* The event may be of another context; one that was never recorded is not waited for. */
TL_EXPORT CUresult cuStreamWaitEvent(CUstream stream_handle, CUevent handle, unsigned flags)
{
    struct tl_context *context = NULL;
    CUresult result = tl_enter("cuStreamWaitEvent", &context);
    if (result == CUDA_SUCCESS)
    {
        const struct event *event = tl_handle_find(TL_EVENT, handle);
        struct tl_stream *stream = tl_stream_find(context, stream_handle);
        if (event == NULL || stream == NULL)
        {
            return tl_leave(CUDA_ERROR_INVALID_HANDLE);
        }
        if (flags != 0)
        {
            return tl_leave(CUDA_ERROR_INVALID_VALUE);
        }
        if (event->mark != NULL)
        {
            result = submit(stream, TL_TASK_WAIT, event->mark);
        }
    }
    return tl_leave(result);
}

TL_EXPORT CUresult cuEventQuery(CUevent handle)
{
    struct tl_context *context = NULL;
    CUresult result = tl_enter("cuEventQuery", &context);
    if (result == CUDA_SUCCESS)
    {
        const struct event *event = tl_handle_find(TL_EVENT, handle);
        if (event == NULL)
        {
            return tl_leave(CUDA_ERROR_INVALID_HANDLE);
        }
        if (event->context->sticky != CUDA_SUCCESS)
        {
            return tl_leave(event->context->sticky);
        }
        result = event->mark == NULL || event->mark->done ? CUDA_SUCCESS : CUDA_ERROR_NOT_READY;
    }
    return tl_leave(result);
}

/* Legal while the event is pending; a stream that waits for it goes on waiting. */
TL_EXPORT CUresult cuEventDestroy_v2(CUevent handle)
{
    struct tl_context *context = NULL;
    CUresult result = tl_enter("cuEventDestroy_v2", &context);
    if (result == CUDA_SUCCESS)
    {
        struct event *event = tl_handle_find(TL_EVENT, handle);
        if (event == NULL)
        {
            return tl_leave(CUDA_ERROR_INVALID_HANDLE);
        }
        destroy(handle, event);
    }
    return tl_leave(result);
}
