/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */

/* Streams, and who waits for them. */

#define _GNU_SOURCE

#include <stdlib.h>

#include "emulator.h"

enum
{
    FLAG_NON_BLOCKING = 1
};

static uint64_t last_ticket;
static uint64_t stream_number;

struct tl_stream *tl_stream_create(struct tl_context *context, bool blocking)
{
    struct tl_stream *stream = calloc(1, sizeof *stream);
    if (stream == NULL)
    {
        return NULL;
    }
    stream_number++;
    stream->context = context;
    stream->blocking = blocking;
    stream->most_delay_us = tl_setting("DELAY_US", 20, 0, 10000000);
    stream->random = tl_random_seed(stream_number);
    pthread_cond_init(&stream->wake, NULL);
    if (!tl_stream_start(stream))
    {
        pthread_cond_destroy(&stream->wake);
        free(stream);
        return NULL;
    }
    stream->next = context->streams;
    context->streams = stream;
    return stream;
}

struct tl_stream *tl_stream_find_of_any(struct tl_context *context, CUstream handle)
{
    if (handle == (CUstream)1 || handle == (CUstream)2)
    {
        tl_abort("CU_STREAM_LEGACY and CU_STREAM_PER_THREAD are not emulated; pass NULL or a stream of your own");
    }
    if (handle == NULL)
    {
        if (context->legacy == NULL)
        {
            context->legacy = tl_stream_create(context, true);
        }
        return context->legacy;
    }
    return tl_handle_find(TL_STREAM, handle);
}

struct tl_stream *tl_stream_find(struct tl_context *context, CUstream handle)
{
    struct tl_stream *stream = tl_stream_find_of_any(context, handle);
    return stream != NULL && stream->context == context ? stream : NULL;
}

CUresult tl_stream_submit(struct tl_stream *stream, struct tl_task *task)
{
    if (stream->capture != NULL)
    {
        return tl_graph_take(stream, task);
    }
    stream->waiters++;
    while (stream->queued == TL_MOST_QUEUED_TASKS && stream->context->sticky == CUDA_SUCCESS)
    {
        tl_wait_for_change();
    }
    stream->waiters--;
    if (stream->closed)
    {
        tl_abort("a stream was destroyed while another thread submitted to it");
    }
    last_ticket++;
    task->ticket = last_ticket;
    task->next = NULL;
    if (stream->head == NULL)
    {
        stream->head = task;
    }
    else
    {
        stream->tail->next = task;
    }
    stream->tail = task;
    stream->queued++;
    pthread_cond_signal(&stream->wake);
    return CUDA_SUCCESS;
}

/* Whether the stream still has work that was submitted up to the ticket. */
static bool is_behind(const struct tl_stream *stream, uint64_t ticket)
{
    return stream->head != NULL && stream->head->ticket <= ticket;
}

CUresult tl_stream_wait(struct tl_stream *stream)
{
    struct tl_context *context = stream->context;
    const uint64_t ticket = last_ticket;
    stream->waiters++;
    while (is_behind(stream, ticket) && context->sticky == CUDA_SUCCESS)
    {
        tl_wait_for_change();
    }
    stream->waiters--;
    if (stream->closed)
    {
        pthread_cond_broadcast(&tl_changed);
    }
    return context->sticky;
}

static bool any_behind(const struct tl_context *context, uint64_t ticket, bool blocking_only)
{
    for (const struct tl_stream *stream = context->streams; stream != NULL; stream = stream->next)
    {
        if ((stream->blocking || !blocking_only) && is_behind(stream, ticket))
        {
            return true;
        }
    }
    return false;
}

static CUresult wait_for_streams(const struct tl_context *context, bool blocking_only)
{
    const uint64_t ticket = last_ticket;
    while (any_behind(context, ticket, blocking_only) && context->sticky == CUDA_SUCCESS)
    {
        tl_wait_for_change();
    }
    return context->sticky;
}

CUresult tl_context_wait(struct tl_context *context)
{
    return wait_for_streams(context, false);
}

CUresult tl_legacy_wait(struct tl_context *context)
{
    return wait_for_streams(context, true);
}

static void close_stream(struct tl_stream *stream)
{
    if (stream->handle != NULL)
    {
        tl_handle_destroy(stream->handle);
        stream->handle = NULL;
    }
    tl_graph_drop(stream);
    stream->closed = true;
    pthread_cond_signal(&stream->wake);
}

void tl_streams_release_context(struct tl_context *context)
{
    context->legacy = NULL;
    for (struct tl_stream *stream = context->streams; stream != NULL; stream = stream->next)
    {
        close_stream(stream);
    }
    while (context->streams != NULL)
    {
        tl_wait_for_change();
    }
}

static CUresult create(const char *symbol, CUstream *handle, unsigned flags)
{
    struct tl_context *context = NULL;
    CUresult result = tl_enter(symbol, &context);
    if (result != CUDA_SUCCESS)
    {
        return tl_leave(result);
    }
    if (handle == NULL || flags > FLAG_NON_BLOCKING)
    {
        return tl_leave(CUDA_ERROR_INVALID_VALUE);
    }
    struct tl_stream *stream = tl_stream_create(context, flags != FLAG_NON_BLOCKING);
    if (stream == NULL)
    {
        return tl_leave(CUDA_ERROR_OUT_OF_MEMORY);
    }
    stream->handle = tl_handle_create(TL_STREAM, stream);
    *handle = stream->handle;
    return tl_leave(CUDA_SUCCESS);
}

TL_EXPORT CUresult cuStreamCreate(CUstream *handle, unsigned flags)
{
    return create("cuStreamCreate", handle, flags);
}

/* The priority is a wish; any number is taken, as by the driver. */
TL_EXPORT CUresult cuStreamCreateWithPriority(CUstream *handle, unsigned flags, int priority)
{
    (void)priority;
    return create("cuStreamCreateWithPriority", handle, flags);
}

/* The stream's work is still done; its handle is dead at once. */
TL_EXPORT CUresult cuStreamDestroy_v2(CUstream handle)
{
    struct tl_context *context = NULL;
    CUresult result = tl_enter("cuStreamDestroy_v2", &context);
    if (result == CUDA_SUCCESS)
    {
        struct tl_stream *stream = handle == NULL ? NULL : tl_stream_find(context, handle);
        if (stream == NULL)
        {
            return tl_leave(CUDA_ERROR_INVALID_HANDLE);
        }
        close_stream(stream);
    }
    return tl_leave(result);
}

TL_EXPORT CUresult cuStreamSynchronize(CUstream handle)
{
    struct tl_context *context = NULL;
    CUresult result = tl_enter("cuStreamSynchronize", &context);
    if (result == CUDA_SUCCESS)
    {
        struct tl_stream *stream = tl_stream_find(context, handle);
        if (stream == NULL)
        {
            return tl_leave(CUDA_ERROR_INVALID_HANDLE);
        }
        result = tl_graph_refuse(stream, "cuStreamSynchronize");
        if (result == CUDA_SUCCESS)
        {
            result = handle == NULL ? tl_legacy_wait(context) : tl_stream_wait(stream);
        }
    }
    return tl_leave(result);
}

TL_EXPORT CUresult cuStreamQuery(CUstream handle)
{
    struct tl_context *context = NULL;
    CUresult result = tl_enter("cuStreamQuery", &context);
    if (result == CUDA_SUCCESS)
    {
        struct tl_stream *stream = tl_stream_find(context, handle);
        if (stream == NULL)
        {
            return tl_leave(CUDA_ERROR_INVALID_HANDLE);
        }
        result = tl_graph_refuse(stream, "cuStreamQuery");
        if (result != CUDA_SUCCESS)
        {
            return tl_leave(result);
        }
        const bool busy = handle == NULL ? any_behind(context, last_ticket, true) : stream->head != NULL;
        result = busy ? CUDA_ERROR_NOT_READY : CUDA_SUCCESS;
    }
    return tl_leave(result);
}
